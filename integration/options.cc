#include "sstfilter/options.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <system_error>

#include "filter/algorithm.h"
#include "filter/rate_curve.h"
#include "integration/key_transform_name.h"
#include "integration/option_text.h"
#include "integration/policy_name.h"
#include "integration/table_plan.h"

namespace sstfilter {

namespace {

using rocksdb::Status;

template <typename T>
bool FromText(std::string_view text, T* value) {
  const auto result =
      std::from_chars(text.data(), text.data() + text.size(), *value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

Status Refuse(const std::string& field, const std::string& value,
              const std::string& accepted) {
  return Status::InvalidArgument(
      "sstfilter: " + field + "=" + value + " is not accepted",
      "accepted: " + accepted);
}

Status CheckRange(const char* field, double value, double low, double high) {
  // Written so that NaN fails.
  if (value >= low && value <= high) return Status::OK();
  return Refuse(field, ToText(value),
                "a number from " + ToText(low) + " to " + ToText(high));
}

const char* AllocationName(LevelAllocation allocation) {
  return allocation == LevelAllocation::kOptimal ? "optimal" : "uniform";
}

constexpr char kKindsAccepted[] = "bloom, standard, parity, auto";
constexpr char kAllocationsAccepted[] = "uniform, optimal";
constexpr char kLevelBitsAccepted[] =
    "numbers separated by colons, each 0 or from 1 to 100";

// One field of FilterOptions and its text form.
struct Field {
  const char* name;
  // False, with `accepted` set, if the text is not of the field's type.
  std::function<bool(std::string_view text, FilterOptions*,
                     std::string* accepted)>
      parse;
  std::function<std::string(const FilterOptions&)> print;
  // Printed even when it has its default value.
  bool always_printed = false;
};

Field NumberField(const char* name, double FilterOptions::*member,
                  bool always_printed = false) {
  return {name,
          [member](std::string_view text, FilterOptions* options,
                   std::string* accepted) {
            *accepted = "a number";
            return FromText(text, &(options->*member));
          },
          [member](const FilterOptions& options) {
            return ToText(options.*member);
          },
          always_printed};
}

bool ParseLevelBits(std::string_view text, std::vector<double>* bits) {
  bits->clear();
  while (true) {
    const size_t colon = text.find(':');
    double value = 0;
    if (!FromText(text.substr(0, colon), &value)) return false;
    bits->push_back(value);
    if (colon == std::string_view::npos) return true;
    text.remove_prefix(colon + 1);
  }
}

std::string PrintLevelBits(const std::vector<double>& bits) {
  std::string text;
  for (double value : bits) text += (text.empty() ? "" : ":") + ToText(value);
  return text;
}

const std::vector<Field>& Fields() {
  static const auto* fields = new std::vector<Field>{
      NumberField("bits_per_key", &FilterOptions::bits_per_key, true),
      {"kind",
       [](std::string_view text, FilterOptions* options,
          std::string* accepted) {
         *accepted = kKindsAccepted;
         return ParseFilterKind(text, &options->kind);
       },
       [](const FilterOptions& options) {
         return std::string(FilterKindName(options.kind));
       },
       true},
      {"level_allocation",
       [](std::string_view text, FilterOptions* options,
          std::string* accepted) {
         *accepted = kAllocationsAccepted;
         for (auto allocation :
              {LevelAllocation::kUniform, LevelAllocation::kOptimal}) {
           if (text == AllocationName(allocation)) {
             options->level_allocation = allocation;
             return true;
           }
         }
         return false;
       },
       [](const FilterOptions& options) {
         return std::string(AllocationName(options.level_allocation));
       }},
      NumberField("level_size_ratio", &FilterOptions::level_size_ratio),
      NumberField("max_bits_per_key", &FilterOptions::max_bits_per_key),
      {"level_bits_per_key",
       [](std::string_view text, FilterOptions* options,
          std::string* accepted) {
         *accepted = kLevelBitsAccepted;
         return ParseLevelBits(text, &options->level_bits_per_key);
       },
       [](const FilterOptions& options) {
         return PrintLevelBits(options.level_bits_per_key);
       }},
      NumberField("false_positive_rate", &FilterOptions::false_positive_rate),
      NumberField("wasted_reads_per_lookup",
                  &FilterOptions::wasted_reads_per_lookup),
      {"seed",
       [](std::string_view text, FilterOptions* options,
          std::string* accepted) {
         *accepted = "a whole number from 0 to 18446744073709551615";
         return FromText(text, &options->seed);
       },
       [](const FilterOptions& options) {
         return std::to_string(options.seed);
       }},
      {"key_transform",
       [](std::string_view text, FilterOptions* options,
          std::string* accepted) {
         *accepted =
             "ascii_lower, strip_trailing_spaces, or a name given to "
             "RegisterKeyTransform";
         options->key_transform = FindKeyTransform(std::string(text));
         return options->key_transform != nullptr;
       },
       [](const FilterOptions& options) {
         return options.key_transform == nullptr ? std::string()
                                                 : options.key_transform->name;
       }},
  };
  return *fields;
}

const Field* FindField(std::string_view name) {
  for (const Field& field : Fields()) {
    if (name == field.name) return &field;
  }
  return nullptr;
}

std::string FieldNames() {
  std::string names;
  for (const std::string& name : FilterFieldNames()) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The ways to state a budget, in the order of the fields.
constexpr const char* kBudgets[] = {"bits_per_key", "level_bits_per_key",
                                    "false_positive_rate",
                                    "wasted_reads_per_lookup"};

void CopyBudget(const FilterOptions& from, FilterOptions* to) {
  to->bits_per_key = from.bits_per_key;
  to->level_bits_per_key = from.level_bits_per_key;
  to->false_positive_rate = from.false_positive_rate;
  to->wasted_reads_per_lookup = from.wasted_reads_per_lookup;
}

FilterOptions WithoutBudget(FilterOptions options) {
  CopyBudget(FilterOptions(), &options);
  return options;
}

Status RefuseBoth(const std::string& one, const std::string& other) {
  return Status::InvalidArgument("sstfilter: " + one + " and " + other +
                                 " are both set; only one may be");
}

// Which of kBudgets are set.
std::vector<std::string> BudgetsSet(const FilterOptions& options) {
  std::vector<std::string> set;
  if (options.bits_per_key != FilterOptions().bits_per_key) {
    set.push_back("bits_per_key");
  }
  if (!options.level_bits_per_key.empty()) set.push_back("level_bits_per_key");
  if (options.false_positive_rate != 0) set.push_back("false_positive_rate");
  if (options.wasted_reads_per_lookup != 0) {
    set.push_back("wasted_reads_per_lookup");
  }
  return set;
}

// Values that no name stands for come from a cast.
Status CheckEnums(const FilterOptions& options) {
  if (options.kind != FilterKind::kAuto &&
      AlgorithmFor(options.kind) == nullptr) {
    return Refuse("kind", std::to_string(static_cast<int>(options.kind)),
                  kKindsAccepted);
  }
  if (options.level_allocation != LevelAllocation::kUniform &&
      options.level_allocation != LevelAllocation::kOptimal) {
    return Refuse("level_allocation",
                  std::to_string(static_cast<int>(options.level_allocation)),
                  kAllocationsAccepted);
  }
  return Status::OK();
}

Status CheckLevelBits(const std::vector<double>& bits) {
  for (double value : bits) {
    if (value != 0 && !(value >= kMinBitsPerKey && value <= kMaxBitsPerKey)) {
      return Refuse("level_bits_per_key", PrintLevelBits(bits),
                    kLevelBitsAccepted);
    }
  }
  return Status::OK();
}

Status CheckRate(const FilterOptions& options) {
  const double rate = options.false_positive_rate;
  if (rate == 0) return Status::OK();
  if (!(rate > 0 && rate <= 0.5)) {
    return Refuse("false_positive_rate", ToText(rate),
                  "a number above 0, at most 0.5");
  }
  for (FilterKind kind :
       {FilterKind::kBloom, FilterKind::kStandardBloom, FilterKind::kParity}) {
    const bool used =
        options.kind == kind || (options.kind == FilterKind::kAuto &&
                                 kind != FilterKind::kStandardBloom);
    const double best = RateAt(kind, kMaxBitsPerKey);
    if (used && best > rate) {
      return Refuse("false_positive_rate", ToText(rate),
                    std::string("at least ") + ToText(best) + ", what kind " +
                        FilterKindName(kind) + " reaches at " +
                        ToText(kMaxBitsPerKey) + " bits per key");
    }
  }
  return Status::OK();
}

// One field, "name=value", onto `options`.
Status ParseField(std::string_view text, FilterOptions* options,
                  std::set<std::string>* seen) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return Status::InvalidArgument(
        "sstfilter: \"" + std::string(text) + "\" is not name=value",
        "known names: " + FieldNames());
  }
  const std::string name(Trimmed(text.substr(0, equals)));
  const std::string value(Trimmed(text.substr(equals + 1)));
  if (name == "id" && value == kPolicyName) return Status::OK();
  const Field* field = FindField(name);
  if (field == nullptr) {
    return Status::InvalidArgument("sstfilter: unknown option " + name,
                                   "known names: " + FieldNames());
  }
  if (!seen->insert(name).second) {
    return Status::InvalidArgument("sstfilter: " + name + " is given twice");
  }
  std::string accepted;
  if (!field->parse(value, options, &accepted)) {
    return Refuse(name, value, accepted);
  }
  return Status::OK();
}

// Takes "sstfilter" or "sstfilter:" off the front.
std::string_view WithoutPolicyName(std::string_view text) {
  const std::string_view name(kPolicyName);
  if (text.substr(0, name.size()) != name) return text;
  const std::string_view rest = text.substr(name.size());
  if (rest.empty()) return rest;
  return rest.front() == ':' ? rest.substr(1) : text;
}

}  // namespace

std::string ToText(double value) {
  // Minus zero is the same setting as zero.
  value += 0.0;
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return std::string(buffer, end);
}

bool operator==(const FilterOptions& a, const FilterOptions& b) {
  for (const Field& field : Fields()) {
    if (field.print(a) != field.print(b)) return false;
  }
  return true;
}

Status ValidateFilterOptions(const FilterOptions& options) {
  const Status checks[] = {
      CheckEnums(options),
      CheckRange("bits_per_key", options.bits_per_key, kMinBitsPerKey,
                 kMaxBitsPerKey),
      CheckRange("level_size_ratio", options.level_size_ratio, 2, 100),
      CheckRange("max_bits_per_key", options.max_bits_per_key, kMinBitsPerKey,
                 kMaxBitsPerKey),
      CheckLevelBits(options.level_bits_per_key),
      CheckRate(options),
      CheckRange("wasted_reads_per_lookup", options.wasted_reads_per_lookup, 0,
                 10),
  };
  for (const Status& check : checks) {
    if (!check.ok()) return check;
  }
  const std::vector<std::string> budgets = BudgetsSet(options);
  if (budgets.size() > 1) {
    return RefuseBoth(budgets[0], budgets[1]);
  }
  const bool optimal = options.level_allocation == LevelAllocation::kOptimal;
  if (options.wasted_reads_per_lookup != 0 && !optimal) {
    return Status::InvalidArgument(
        "sstfilter: wasted_reads_per_lookup needs level_allocation=optimal");
  }
  if (!options.level_bits_per_key.empty() && optimal) {
    return Status::InvalidArgument(
        "sstfilter: level_bits_per_key does not go with "
        "level_allocation=optimal");
  }
  if (options.key_transform != nullptr &&
      (options.key_transform->function == nullptr ||
       !IsKeyTransformName(options.key_transform->name))) {
    return Refuse("key_transform", options.key_transform->name,
                  "a function and a name of letters, digits, '_', '-', '.'");
  }
  return CheckTablePlans(options);
}

Status ApplyFilterOptions(const std::string& text, FilterOptions* options) {
  std::string_view rest = Trimmed(text);
  if (!rest.empty() && rest.front() == '{' && rest.back() == '}') {
    rest = Trimmed(rest.substr(1, rest.size() - 2));
  }
  rest = WithoutPolicyName(rest);
  FilterOptions parsed = WithoutBudget(*options);
  std::set<std::string> seen;
  if (!rest.empty() && rest.find('=') == std::string_view::npos) {
    rest = Trimmed(rest);
    if (!FromText(rest, &parsed.bits_per_key)) {
      return Refuse("bits_per_key", std::string(rest), "a number");
    }
    seen.insert("bits_per_key");
    rest = {};
  }
  while (!rest.empty()) {
    const size_t end = rest.find_first_of(";,");
    const std::string_view item = Trimmed(rest.substr(0, end));
    if (!item.empty()) {
      Status status = ParseField(item, &parsed, &seen);
      if (!status.ok()) return status;
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  // In text, unlike in the struct, a default that is spelled out counts as set.
  const char* named = nullptr;
  for (const char* budget : kBudgets) {
    if (seen.count(budget) == 0) continue;
    if (named != nullptr) return RefuseBoth(named, budget);
    named = budget;
  }
  if (named == nullptr) CopyBudget(*options, &parsed);
  Status status = ValidateFilterOptions(parsed);
  if (status.ok()) *options = parsed;
  return status;
}

Status ParseFilterOptions(const std::string& text, FilterOptions* options) {
  FilterOptions parsed;
  Status status = ApplyFilterOptions(text, &parsed);
  if (status.ok()) *options = parsed;
  return status;
}

std::vector<std::string> FilterFieldNames() {
  std::vector<std::string> names;
  for (const Field& field : Fields()) names.push_back(field.name);
  return names;
}

std::string FilterFieldText(const FilterOptions& options,
                            const std::string& name) {
  const Field& field = *FindField(name);
  if (name == kBudgets[0]) {
    const std::vector<std::string> budgets = BudgetsSet(options);
    if (!budgets.empty() && budgets[0] != name) return "";
  }
  const std::string value = field.print(options);
  const bool printed =
      field.always_printed || value != field.print(FilterOptions());
  return printed ? value : "";
}

std::string FilterOptionsToString(const FilterOptions& options) {
  std::string text;
  for (const std::string& name : FilterFieldNames()) {
    const std::string value = FilterFieldText(options, name);
    if (value.empty()) continue;
    text += (text.empty() ? "" : ";") + name + "=" + value;
  }
  return text;
}

}  // namespace sstfilter
