// Option strings: whatever the text, the answer is a status; what is accepted
// is in range, makes a policy, and survives being printed and read again.
#include <rocksdb/filter_policy.h>

#include <memory>
#include <string>

#include "sstfilter/filter_policy.h"
#include "sstfilter/options.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstfilter;
  // Longer texts only repeat shorter ones.
  if (size > 512) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);

  FilterOptions before;
  before.bits_per_key = 33.25;
  before.seed = 7;
  FilterOptions options = before;
  const rocksdb::Status status = ParseFilterOptions(text, &options);
  if (!status.ok()) {
    FUZZ_CHECK(status.IsInvalidArgument());
    FUZZ_CHECK(!status.ToString().empty());
    FUZZ_CHECK(options == before);
    return 0;
  }
  FUZZ_CHECK(ValidateFilterOptions(options).ok());

  const std::string printed = FilterOptionsToString(options);
  FilterOptions again;
  FUZZ_CHECK(ParseFilterOptions(printed, &again).ok());
  FUZZ_CHECK(again == options);
  FUZZ_CHECK(FilterOptionsToString(again) == printed);
  for (const std::string& form :
       {"sstfilter:" + printed, "{id=sstfilter;" + printed + "}"}) {
    FUZZ_CHECK(ParseFilterOptions(form, &again).ok());
    FUZZ_CHECK(again == options);
  }

  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  FUZZ_CHECK(NewFilterPolicy(options, &policy).ok());
  FUZZ_CHECK(GetFilterOptions(*policy, &again).ok());
  FUZZ_CHECK(again == options);
  return 0;
}
