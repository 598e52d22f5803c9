#include "tools/count_option.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>

namespace sstfilter::tools {

namespace {

// Doubles up to here are every whole number there is.
constexpr double kExact = 9007199254740992;  // 2^53

template <typename Number>
std::optional<Number> Parse(const std::string& text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::optional<uint64_t> ParseCount(const std::string& text) {
  const auto digits = Parse<uint64_t>(text);
  if (digits.has_value()) return digits;
  const auto number = Parse<double>(text);
  // A comparison that NaN fails.
  if (!number.has_value() || !(*number >= 0 && *number <= kExact) ||
      std::floor(*number) != *number) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(*number);
}

std::string Range(uint64_t least, uint64_t most) {
  return fmt::format("UINT in [{} - {}]", least, most);
}

// What Option::transform wants: changes `text`, or says what is wrong with it.
std::string ReplaceByDigits(uint64_t least, uint64_t most,
                            const std::string& more, std::string* text) {
  const auto count = ParseCount(*text);
  if (!count.has_value() || *count < least || *count > most) {
    return fmt::format(
        "{:?}: accepted are whole numbers from {} to {}, in digits or as "
        "in 1e3{}",
        *text, least, most, more);
  }
  *text = fmt::format("{}", *count);
  return "";
}

}  // namespace

CLI::Validator Count(uint64_t least, uint64_t most) {
  return {[least, most](std::string& text) {
            return ReplaceByDigits(least, most, "", &text);
          },
          Range(least, most)};
}

CLI::Validator ByteCount(uint64_t least, uint64_t most) {
  const CLI::AsSizeValue units(false);
  return {[units, least, most](std::string& text) {
            std::string digits = text;
            try {
              if (!ParseCount(text).has_value()) units(digits);
              text = digits;
            } catch (const CLI::ValidationError&) {
              // Said below.
            }
            return ReplaceByDigits(least, most, ", or with a unit such as 8MiB",
                                   &text);
          },
          units.get_description() + ":" + Range(least, most)};
}

}  // namespace sstfilter::tools
