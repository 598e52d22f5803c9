// The C API with option strings of any content: an input is up to three of
// them, separated by newlines, for making a policy, changing it, and checking
// it.
#include <rocksdb/c.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "sstfilter/c.h"
#include "tests/fuzz/input.h"

namespace {

// An error message as the API gives it; at most one at a time.
class Error {
 public:
  ~Error() { std::free(text_); }
  char** out() { return &text_; }
  bool set() const { return text_ != nullptr; }
  void Clear() {
    std::free(text_);
    text_ = nullptr;
  }

 private:
  char* text_ = nullptr;
};

std::string OptionsOf(const rocksdb_filterpolicy_t* policy) {
  Error error;
  char* text = sstfilter_filterpolicy_get_options(policy, error.out());
  FUZZ_CHECK(text != nullptr && !error.set());
  std::string options = text;
  std::free(text);
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 1024) return 0;
  const std::string input(reinterpret_cast<const char*>(data), size);
  std::string texts[3];
  size_t begin = 0;
  for (std::string& text : texts) {
    if (begin > input.size()) break;
    const size_t end = std::min(input.find('\n', begin), input.size());
    text = input.substr(begin, end - begin);
    begin = end + 1;
  }

  // An error left over from an earlier call is replaced, not leaked.
  Error error;
  *error.out() = strdup("an earlier error");
  rocksdb_filterpolicy_t* policy =
      sstfilter_filterpolicy_create(texts[0].c_str(), error.out());
  FUZZ_CHECK(error.set());
  if (policy == nullptr) {
    FUZZ_CHECK(std::strcmp(*error.out(), "an earlier error") != 0);
    return 0;
  }
  error.Clear();

  const std::string before = OptionsOf(policy);
  sstfilter_filterpolicy_set_options(policy, texts[1].c_str(), error.out());
  const std::string after = OptionsOf(policy);
  if (error.set()) FUZZ_CHECK(after == before);
  error.Clear();

  // What a policy says of itself, it accepts.
  sstfilter_filterpolicy_set_options(policy, after.c_str(), error.out());
  FUZZ_CHECK(!error.set());
  FUZZ_CHECK(OptionsOf(policy) == after);

  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_block_based_table_options_t* table =
      rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(table, policy);
  rocksdb_options_set_block_based_table_factory(options, table);
  sstfilter_check_options(options, after.c_str(), error.out());
  FUZZ_CHECK(!error.set());
  sstfilter_check_options(options, texts[2].c_str(), error.out());
  rocksdb_block_based_options_destroy(table);
  rocksdb_options_destroy(options);
  return 0;
}
