// The policy through RocksDB's option strings and OPTIONS files.
#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>

#include <memory>
#include <string>
#include <vector>

#include "integration/policy.h"
#include "sstfilter/filter_policy.h"
#include "tests/integration/scratch_directory.h"

namespace sstfilter {
namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::ConfigOptions;
using rocksdb::FilterPolicy;
using rocksdb::Status;

// Knows "sstfilter" through a library of its own, so that the tests do not
// depend on what else the process has registered.
ConfigOptions Registered() {
  ConfigOptions config;
  config.registry = rocksdb::ObjectRegistry::NewInstance();
  config.registry->AddLibrary("sstfilter", RegisterFilterPolicy, "");
  return config;
}

// As Registered(), with every one of RocksDB's ways to read strings.
std::vector<ConfigOptions> EveryConfig() {
  std::vector<ConfigOptions> configs;
  for (int bits = 0; bits < 8; ++bits) {
    ConfigOptions config = Registered();
    config.ignore_unknown_options = (bits & 1) != 0;
    config.ignore_unsupported_options = (bits & 2) != 0;
    config.input_strings_escaped = (bits & 4) != 0;
    configs.push_back(config);
  }
  return configs;
}

const FilterPolicy* PolicyOf(const rocksdb::ColumnFamilyOptions& options) {
  return options.table_factory->GetOptions<BlockBasedTableOptions>()
      ->filter_policy.get();
}

FilterOptions OptionsOf(const FilterPolicy* policy) {
  FilterOptions options;
  if (AsPolicy(policy) == nullptr) {
    ADD_FAILURE() << "not an sstfilter policy";
  } else {
    EXPECT_TRUE(GetFilterOptions(*policy, &options).ok());
  }
  return options;
}

FilterOptions Parsed(const std::string& text) {
  FilterOptions options;
  EXPECT_TRUE(ParseFilterOptions(text, &options).ok()) << text;
  return options;
}

struct GoodString {
  const char* value;
  const char* means;
};

const GoodString kGoodStrings[] = {
    {"sstfilter", ""},
    {"sstfilter:", ""},
    {"sstfilter:12.5", "12.5"},
    {"{sstfilter:12.5}", "12.5"},
    {"id=sstfilter", ""},
    {"{id=sstfilter}", ""},
    {"{id=sstfilter;bits_per_key=12.5;kind=parity;level_allocation=optimal}",
     "bits_per_key=12.5;kind=parity;level_allocation=optimal"},
    {"id=sstfilter;level_bits_per_key=24:20:0:9.5",
     "level_bits_per_key=24:20:0:9.5"},
    {"{id=sstfilter:14;kind=parity}", "bits_per_key=14;kind=parity"},
    {"{id=sstfilter;false_positive_rate=0.01}", "false_positive_rate=0.01"},
    {"{id=sstfilter;key_transform=ascii_lower;seed=7}",
     "key_transform=ascii_lower;seed=7"},
};

struct BadString {
  const char* value;
  const char* named;
};

const BadString kBadStrings[] = {
    {"sstfilter:abc", "abc"},
    {"sstfilter:0.3", "0.3"},
    {"sstfilter:nan", "nan"},
    {"sstfilter:inf", "inf"},
    {"sstfilter:-1", "-1"},
    {"sstfilter:1e9", "1e+09"},
    {"sstfilter:10:false", "10:false"},
    {"sstfilter12", "sstfilter12"},
    {"sstfilter_12", "sstfilter_12"},
    {"sstfilters", "sstfilters"},
    {"sstfilter.x", "sstfilter.x"},
    {"{id=sstfilter;bits=12}", "bits"},
    {"{id=sstfilter;bits_per_key=12;colour=red}", "colour"},
    {"{id=sstfilter;bits_per_key=0.3}", "bits_per_key=0.3"},
    {"{id=sstfilter;bits_per_key=abc}", "bits_per_key=abc"},
    {"{id=sstfilter;kind=blom}", "kind=blom"},
    {"{id=sstfilterx;bits_per_key=12}", "sstfilterx"},
    {"{id=sstfilter;key_transform=unheard_of}", "key_transform=unheard_of"},
};

TEST(CreateFromStringTest, GoodStrings) {
  for (const ConfigOptions& config : EveryConfig()) {
    for (const GoodString& good : kGoodStrings) {
      std::shared_ptr<const FilterPolicy> policy;
      const Status status =
          FilterPolicy::CreateFromString(config, good.value, &policy);
      ASSERT_TRUE(status.ok()) << good.value << ": " << status.ToString();
      EXPECT_EQ(OptionsOf(policy.get()), Parsed(good.means)) << good.value;
    }
  }
}

// An error comes out, whatever may be ignored; and a policy that says why is
// left behind, for callers who lose the error.
TEST(CreateFromStringTest, BadStrings) {
  for (const ConfigOptions& config : EveryConfig()) {
    for (const BadString& bad : kBadStrings) {
      std::shared_ptr<const FilterPolicy> policy;
      const Status status =
          FilterPolicy::CreateFromString(config, bad.value, &policy);
      EXPECT_TRUE(status.IsInvalidArgument())
          << bad.value << ": " << status.ToString();
      EXPECT_NE(status.ToString().find(bad.named), std::string::npos)
          << bad.value << ": " << status.ToString();
      ASSERT_NE(AsPolicy(policy.get()), nullptr) << bad.value;
      EXPECT_EQ(policy->ValidateOptions({}, {}), status) << bad.value;
    }
  }
}

TEST(CreateFromStringTest, OtherNamesAreNotOurs) {
  ConfigOptions config = Registered();
  config.ignore_unsupported_options = false;
  for (const char* name :
       {"nonesuch", "sstfilte", "xsstfilter", "SstFilter:10", "filter",
        " sstfilter", "rocksdb.sstfilter", "sst"}) {
    std::shared_ptr<const FilterPolicy> policy;
    FilterPolicy::CreateFromString(config, name, &policy)
        .PermitUncheckedError();
    EXPECT_EQ(AsPolicy(policy.get()), nullptr) << name;
  }
  std::shared_ptr<const FilterPolicy> builtin;
  ASSERT_TRUE(
      FilterPolicy::CreateFromString(config, "bloomfilter:10:false", &builtin)
          .ok());
  EXPECT_STREQ(builtin->Name(), "bloomfilter");
  ASSERT_TRUE(
      FilterPolicy::CreateFromString(config, "ribbonfilter:10", &builtin).ok());
  EXPECT_STREQ(builtin->Name(), "ribbonfilter");
  EXPECT_FALSE(
      FilterPolicy::CreateFromString(config, "{sstfilterx=3}", &builtin).ok());
}

TEST(CreateFromStringTest, OwnStringsReadBack) {
  for (const GoodString& good : kGoodStrings) {
    std::shared_ptr<const FilterPolicy> policy;
    ASSERT_TRUE(NewFilterPolicy(Parsed(good.means), &policy).ok());
    const std::string text = policy->ToString(ConfigOptions());
    std::shared_ptr<const FilterPolicy> back;
    const Status status =
        FilterPolicy::CreateFromString(Registered(), text, &back);
    ASSERT_TRUE(status.ok()) << text << ": " << status.ToString();
    EXPECT_EQ(OptionsOf(back.get()), Parsed(good.means)) << text;
    std::string mismatch;
    EXPECT_TRUE(policy->AreEquivalent(ConfigOptions(), back.get(), &mismatch));
  }
}

TEST(CreateFromStringTest, FieldsAreKnownToRocksDB) {
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_TRUE(
      NewFilterPolicy(Parsed("bits_per_key=14;kind=parity"), &policy).ok());
  std::string text;
  ASSERT_TRUE(policy->GetOption(ConfigOptions(), "bits_per_key", &text).ok());
  EXPECT_EQ(text, "14");
  ASSERT_TRUE(policy->GetOption(ConfigOptions(), "id", &text).ok());
  EXPECT_EQ(text, "sstfilter");
  ASSERT_TRUE(policy->GetOptionString(ConfigOptions(), &text).ok());
  EXPECT_EQ(Parsed(text), Parsed("bits_per_key=14;kind=parity")) << text;
}

TEST(TableOptionsStringTest, GoodAndBad) {
  for (const ConfigOptions& config : EveryConfig()) {
    for (const GoodString& good : kGoodStrings) {
      std::string value = good.value;
      if (value.front() != '{') value = "{" + value + "}";
      BlockBasedTableOptions table_options;
      const Status status = rocksdb::GetBlockBasedTableOptionsFromString(
          config, BlockBasedTableOptions(),
          "block_size=8192;filter_policy=" + value + ";", &table_options);
      ASSERT_TRUE(status.ok()) << value << ": " << status.ToString();
      EXPECT_EQ(OptionsOf(table_options.filter_policy.get()),
                Parsed(good.means))
          << value;
      EXPECT_EQ(table_options.block_size, 8192u);
    }
    for (const BadString& bad : kBadStrings) {
      rocksdb::ColumnFamilyOptions options;
      const Status status = rocksdb::GetColumnFamilyOptionsFromString(
          config, rocksdb::ColumnFamilyOptions(),
          std::string("block_based_table_factory={filter_policy=") + bad.value +
              ";}",
          &options);
      // Where RocksDB drops the error, DB::Open must not.
      if (!status.ok()) continue;
      ASSERT_NE(PolicyOf(options), nullptr) << bad.value;
      const Status valid = options.table_factory->ValidateOptions({}, options);
      EXPECT_TRUE(valid.IsInvalidArgument()) << bad.value;
      EXPECT_NE(valid.ToString().find(bad.named), std::string::npos)
          << bad.value << ": " << valid.ToString();
    }
  }
}

TEST(TableOptionsStringTest, ChangesOneFieldOfAnExistingPolicy) {
  rocksdb::ColumnFamilyOptions base;
  BlockBasedTableOptions table_options;
  ASSERT_TRUE(NewFilterPolicy(Parsed("bits_per_key=14;kind=parity"),
                              &table_options.filter_policy)
                  .ok());
  base.table_factory.reset(NewBlockBasedTableFactory(table_options));
  rocksdb::ColumnFamilyOptions changed;
  ASSERT_TRUE(rocksdb::GetColumnFamilyOptionsFromString(
                  Registered(), base,
                  "block_based_table_factory={filter_policy={bits_per_key=12}}",
                  &changed)
                  .ok());
  EXPECT_EQ(OptionsOf(PolicyOf(changed)),
            Parsed("bits_per_key=12;kind=parity"));
}

class OptionsFileTest : public ::testing::Test {
 protected:
  rocksdb::Options NewOptions(std::shared_ptr<const FilterPolicy> policy) {
    rocksdb::Options options;
    options.create_if_missing = true;
    BlockBasedTableOptions table_options;
    table_options.filter_policy = std::move(policy);
    options.table_factory.reset(NewBlockBasedTableFactory(table_options));
    return options;
  }

  // Creates a database and so an OPTIONS file.
  Status Create(const rocksdb::Options& options) {
    rocksdb::DB* db = nullptr;
    const Status status = rocksdb::DB::Open(options, path_, &db);
    delete db;
    return status;
  }

  Status Load(const ConfigOptions& config) {
    families_.clear();
    return rocksdb::LoadLatestOptions(config, path_, &db_options_, &families_);
  }

  // Opens with what Load found.
  Status Reopen() {
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* db = nullptr;
    const Status status =
        rocksdb::DB::Open(db_options_, path_, families_, &handles, &db);
    for (auto* handle : handles) delete handle;
    delete db;
    return status;
  }

  // Rewrites the newest OPTIONS file with `from` replaced by `to`.
  void EditOptionsFile(const std::string& from, const std::string& to) {
    std::string name;
    ASSERT_TRUE(
        rocksdb::GetLatestOptionsFileName(path_, rocksdb::Env::Default(), &name)
            .ok());
    const std::string file = path_ + "/" + name;
    std::string text;
    ASSERT_TRUE(
        rocksdb::ReadFileToString(rocksdb::Env::Default(), file, &text).ok());
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at, from.size(), to);
    ASSERT_TRUE(
        rocksdb::WriteStringToFile(rocksdb::Env::Default(), text, file).ok());
  }

  ScratchDirectory scratch_;
  const std::string path_ = scratch_.Path("db");
  rocksdb::DBOptions db_options_;
  std::vector<rocksdb::ColumnFamilyDescriptor> families_;
};

TEST_F(OptionsFileTest, WrittenByRocksDBAndLoadedBackEqual) {
  for (const char* text :
       {"", "12.3456789012345", "bits_per_key=14;kind=parity",
        "kind=auto;level_allocation=optimal;level_size_ratio=8;"
        "max_bits_per_key=30;wasted_reads_per_lookup=0.1",
        "level_bits_per_key=24:20:0:9.5;seed=18446744073709551615",
        "false_positive_rate=0.0123;key_transform=strip_trailing_spaces"}) {
    ASSERT_TRUE(rocksdb::DestroyDB(path_, rocksdb::Options()).ok());
    std::shared_ptr<const FilterPolicy> policy;
    ASSERT_TRUE(NewFilterPolicy(Parsed(text), &policy).ok()) << text;
    // Fails if RocksDB cannot read back what it wrote.
    ASSERT_TRUE(Create(NewOptions(policy)).ok()) << text;
    for (const ConfigOptions& config : EveryConfig()) {
      const Status status = Load(config);
      ASSERT_TRUE(status.ok()) << text << ": " << status.ToString();
      ASSERT_EQ(families_.size(), 1u);
      EXPECT_EQ(OptionsOf(PolicyOf(families_[0].options)), Parsed(text));
      std::string mismatch;
      EXPECT_TRUE(policy->AreEquivalent(config, PolicyOf(families_[0].options),
                                        &mismatch));
    }
    EXPECT_TRUE(Reopen().ok());
  }
}

TEST_F(OptionsFileTest, FollowsChangedOptions) {
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_TRUE(NewFilterPolicy({}, &policy).ok());
  rocksdb::DB* db = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(NewOptions(policy), path_, &db).ok());
  const std::unique_ptr<rocksdb::DB> owner(db);
  ASSERT_TRUE(
      SetFilterOptions(*policy, Parsed("kind=parity;bits_per_key=14")).ok());
  // Any change of options makes RocksDB write a new file.
  ASSERT_TRUE(db->SetOptions({{"write_buffer_size", "12345678"}}).ok());
  ASSERT_TRUE(Load(Registered()).ok());
  EXPECT_EQ(OptionsOf(PolicyOf(families_[0].options)),
            Parsed("kind=parity;bits_per_key=14"));
  EXPECT_EQ(OptionsOf(PolicyOf(db->GetOptions())),
            Parsed("kind=parity;bits_per_key=14"));
}

// What RocksDB does with a policy that nobody registered: no error, no filter.
// CheckFilterPolicy is there for this (check_test.cc).
TEST_F(OptionsFileTest, WithoutRegistrationThePolicyIsDroppedSilently) {
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_TRUE(NewFilterPolicy({}, &policy).ok());
  ASSERT_TRUE(Create(NewOptions(policy)).ok());
  ConfigOptions config;
  // The default library, where NewFilterPolicy has registered, is part of every
  // registry: what another process sees is a name that nobody knows.
  EditOptionsFile("sstfilter", "nonesuch");
  for (bool ignore : {false, true}) {
    config.ignore_unknown_options = ignore;
    config.ignore_unsupported_options = ignore;
    ASSERT_TRUE(Load(config).ok());
    EXPECT_EQ(PolicyOf(families_[0].options), nullptr);
    EXPECT_TRUE(Reopen().ok());
  }
}

// RocksDB drops the error of a bad policy string in an OPTIONS file; opening
// the database brings it back.
TEST_F(OptionsFileTest, BadStringsKeepTheDatabaseFromOpening) {
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_TRUE(NewFilterPolicy({}, &policy).ok());
  const std::string good = "{id=sstfilter;bits_per_key=10;kind=bloom;}";
  for (const BadString& bad : kBadStrings) {
    ASSERT_TRUE(rocksdb::DestroyDB(path_, rocksdb::Options()).ok());
    ASSERT_TRUE(Create(NewOptions(policy)).ok());
    EditOptionsFile(good, bad.value);
    for (const ConfigOptions& config : EveryConfig()) {
      // An unescaped string from an OPTIONS file fails for other reasons too.
      if (!config.input_strings_escaped) continue;
      Status status = Load(config);
      if (status.ok()) status = Reopen();
      EXPECT_TRUE(status.IsInvalidArgument())
          << bad.value << ": " << status.ToString();
      EXPECT_NE(status.ToString().find(bad.named), std::string::npos)
          << bad.value << ": " << status.ToString();
    }
  }
}

TEST_F(OptionsFileTest, GetOptionStringOfTheTableFactory) {
  std::shared_ptr<const FilterPolicy> policy;
  ASSERT_TRUE(NewFilterPolicy(Parsed("12.5"), &policy).ok());
  const rocksdb::Options options = NewOptions(policy);
  std::string text;
  ASSERT_TRUE(
      options.table_factory->GetOptionString(ConfigOptions(), &text).ok());
  EXPECT_NE(
      text.find("filter_policy={id=sstfilter;bits_per_key=12.5;kind=bloom;}"),
      std::string::npos)
      << text;
  // Without that, RocksDB names the table factory and says nothing else of it.
  ConfigOptions detailed;
  detailed.depth = ConfigOptions::kDepthDetailed;
  std::string family;
  ASSERT_TRUE(
      rocksdb::GetStringFromColumnFamilyOptions(detailed, options, &family)
          .ok());
  rocksdb::ColumnFamilyOptions back;
  ASSERT_TRUE(rocksdb::GetColumnFamilyOptionsFromString(
                  Registered(), rocksdb::ColumnFamilyOptions(), family, &back)
                  .ok());
  EXPECT_EQ(OptionsOf(PolicyOf(back)), Parsed("12.5"));
}

}  // namespace
}  // namespace sstfilter
