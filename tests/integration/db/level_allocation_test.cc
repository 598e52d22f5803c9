// level_allocation=optimal on real trees: the same memory, fewer wasted reads.
#include "sstfilter/level_allocation.h"

#include <gtest/gtest.h>
#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "database.h"
#include "filter/rate_curve.h"
#include "sstfilter/filter_policy.h"

namespace sstfilter::dbtest {
namespace {

// Present keys are those of even numbers, absent ones of odd numbers, mixed all
// over the key space.
std::string Key(uint64_t number) {
  uint64_t x = number + 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  x ^= x >> 31;
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx",
                static_cast<unsigned long long>(x));
  return text;
}

std::string Present(uint64_t i) { return Key(2 * i); }
std::string Absent(uint64_t i) { return Key(2 * i + 1); }

FilterOptions Options(FilterKind kind, LevelAllocation allocation) {
  FilterOptions options;
  options.kind = kind;
  options.level_allocation = allocation;
  options.seed = 7;
  return options;
}

std::shared_ptr<const rocksdb::FilterPolicy> Policy(
    const FilterOptions& options) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  Check(NewFilterPolicy(options, &policy));
  return policy;
}

struct Level {
  int files = 0;
  double keys = 0;
  double filter_bytes = 0;
  double bits_per_key() const { return filter_bytes * 8 / keys; }
};

std::map<int, Level> Levels(const Database& database) {
  std::map<std::string, uint64_t> filter_bytes;
  for (const auto& [path, properties] : database.Properties()) {
    filter_bytes[path.substr(path.rfind('/'))] = properties->filter_size;
  }
  std::map<int, Level> levels;
  for (const rocksdb::LiveFileMetaData& file : database.LiveFiles()) {
    Level& level = levels[file.level];
    ++level.files;
    level.keys += static_cast<double>(file.num_entries);
    level.filter_bytes += static_cast<double>(
        filter_bytes.at(file.name.substr(file.name.rfind('/'))));
  }
  return levels;
}

double FilterBits(const std::map<int, Level>& levels) {
  double bits = 0;
  for (const auto& [number, level] : levels) bits += level.filter_bytes * 8;
  return bits;
}

double Keys(const std::map<int, Level>& levels) {
  double keys = 0;
  for (const auto& [number, level] : levels) keys += level.keys;
  return keys;
}

struct Measured {
  std::map<int, Level> levels;
  double wasted = 0;

  double bits_per_key() const { return FilterBits(levels) / Keys(levels); }
};

// Of one absent lookup, by the tickers.
double WastedReads(const Database& database, uint64_t lookups) {
  const Activity before = database.activity();
  for (uint64_t i = 0; i < lookups; ++i) {
    EXPECT_FALSE(database.Get(Absent(i)).has_value());
  }
  const Activity did = database.activity() - before;
  return static_cast<double>(did.passed - did.passed_rightly) /
         static_cast<double>(lookups);
}

std::vector<RunGroup> Groups(const std::map<int, Level>& levels,
                             FilterKind kind) {
  std::vector<RunGroup> groups;
  for (const auto& [number, level] : levels) {
    groups.push_back(
        {level.keys, number == 0 ? level.files : 1.0, KindRateCurve(kind, 24)});
  }
  return groups;
}

// By the theory unit, from the keys and bits that are there.
double ExpectedReads(const std::map<int, Level>& levels, FilterKind kind) {
  std::vector<double> bits;
  for (const auto& [number, level] : levels) {
    bits.push_back(level.bits_per_key());
  }
  return sstfilter::WastedReads(Groups(levels, kind), bits);
}

// With the same bytes spread evenly.
double UniformReads(const Measured& measured, FilterKind kind) {
  return sstfilter::WastedReads(
      Groups(measured.levels, kind),
      std::vector<double>(measured.levels.size(), measured.bits_per_key()));
}

// The least that is possible with the memory that is there.
double LeastReads(const std::map<int, Level>& levels, FilterKind kind) {
  return AllocateBits(Groups(levels, kind), FilterBits(levels)).wasted_reads;
}

constexpr double kRatio = 4;
constexpr uint64_t kFullTree = 350'000;

// Small levels, so that few keys make many of them; compactions as usual.
void Prepare(Database* database, bool dynamic_level_bytes) {
  rocksdb::Options& options = database->options;
  options.disable_auto_compactions = false;
  options.level_compaction_dynamic_level_bytes = dynamic_level_bytes;
  options.write_buffer_size = 1 << 20;
  options.target_file_size_base = 96 << 10;
  options.max_bytes_for_level_base = 256 << 10;
  options.max_bytes_for_level_multiplier = kRatio;
  // Level 0 counts by files here.
  options.level0_file_num_compaction_trigger = 4;
  options.max_background_jobs = 2;
}

// Universal compaction may call itself pending without anything to do.
void WaitForCompactions(const Database& database) {
  const bool ask_pending =
      database.options.compaction_style == rocksdb::kCompactionStyleLevel;
  for (int quiet = 0; quiet < 3;) {
    uint64_t running = 0;
    uint64_t pending = 0;
    database->GetIntProperty("rocksdb.num-running-compactions", &running);
    if (ask_pending) {
      database->GetIntProperty("rocksdb.compaction-pending", &pending);
    }
    quiet = running + pending == 0 ? quiet + 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

constexpr uint64_t kKeysOfAFlush = 1'500;  // about a quarter of level 1

void Write(Database* database, uint64_t first, uint64_t count) {
  const std::string value(24, 'v');
  for (uint64_t i = first; i < first + count; ++i) {
    database->Put(Present(i), value);
    if ((i + 1) % kKeysOfAFlush == 0) {
      database->Flush();
      // One file after the other, as if there were no hurry: the trees of two
      // runs are then alike.
      if ((i + 1) % (4 * kKeysOfAFlush) == 0) WaitForCompactions(*database);
    }
  }
  database->Flush();
  WaitForCompactions(*database);
}

// For the reader of a failure, or of the log.
void Print(const char* title, FilterKind kind, const Measured& measured) {
  std::printf("%s:", title);
  for (const auto& [number, level] : measured.levels) {
    std::printf(" L%d %d files, %.0f keys, %.2f bits;", number, level.files,
                level.keys, level.bits_per_key());
  }
  std::printf(
      "\n  %.3f bits/key, wasted reads %.5f, expected %.5f; with these bytes "
      "least %.5f, uniform %.5f\n",
      measured.bits_per_key(), measured.wasted,
      ExpectedReads(measured.levels, kind), LeastReads(measured.levels, kind),
      UniformReads(measured, kind));
}

constexpr uint64_t kLookups = 200'000;

struct Case {
  FilterKind kind;
  bool dynamic_level_bytes;
};

void PrintTo(const Case& it, std::ostream* out) {
  *out << FilterKindName(it.kind)
       << (it.dynamic_level_bytes ? "_dynamic" : "_static");
}

class LevelAllocationTest : public testing::TestWithParam<Case> {
 protected:
  // A settled tree and the same with eight young files.
  void Measure(LevelAllocation allocation, Measured* settled, Measured* young) {
    FilterOptions options = Options(GetParam().kind, allocation);
    options.level_size_ratio = kRatio;
    Database database(Policy(options));
    Prepare(&database, GetParam().dynamic_level_bytes);
    database.Open();
    Write(&database, 0, kFullTree);
    // What is left in level 0 makes the trees of two runs differ.
    Check(database->CompactFiles({}, YoungFiles(database), Base(database)));
    WaitForCompactions(database);
    settled->levels = Levels(database);
    settled->wasted = WastedReads(database, kLookups);
    Check(database->SetOptions({{"disable_auto_compactions", "true"}}));
    for (uint64_t i = 0; i < 8; ++i) {
      const uint64_t first = kFullTree + i * kKeysOfAFlush;
      for (uint64_t j = 0; j < kKeysOfAFlush; ++j) {
        database.Put(Present(first + j), std::string(24, 'v'));
      }
      database.Flush();
    }
    young->levels = Levels(database);
    young->wasted = WastedReads(database, kLookups);
  }

 private:
  static std::vector<std::string> YoungFiles(const Database& database) {
    std::vector<std::string> names;
    int base = 0;
    for (const auto& file : database.LiveFiles()) {
      if (file.level > 0 && (base == 0 || file.level < base)) base = file.level;
    }
    for (const auto& file : database.LiveFiles()) {
      if (file.level == 0 || file.level == base) names.push_back(file.name);
    }
    return names;
  }
  static int Base(const Database& database) {
    int base = 7;
    for (const auto& file : database.LiveFiles()) {
      if (file.level > 0) base = std::min(base, file.level);
    }
    return base;
  }
};

TEST_P(LevelAllocationTest, FewerWastedReadsWithTheSameMemory) {
  const FilterKind kind = GetParam().kind;
  Measured uniform, uniform_young, optimal, optimal_young;
  Measure(LevelAllocation::kUniform, &uniform, &uniform_young);
  Measure(LevelAllocation::kOptimal, &optimal, &optimal_young);
  Print("uniform, settled", kind, uniform);
  Print("optimal, settled", kind, optimal);
  Print("uniform, 8 young", kind, uniform_young);
  Print("optimal, 8 young", kind, optimal_young);

  ASSERT_GE(optimal.levels.size(), 4U);
  EXPECT_EQ(optimal.levels.count(0), 0U);
  ASSERT_EQ(optimal_young.levels.at(0).files, 8);

  // Dynamic level bytes hold the levels at the ratio the plan is made for.
  // Otherwise the last level may be anything from empty to full.
  EXPECT_NEAR(optimal.bits_per_key() / uniform.bits_per_key(), 1,
              GetParam().dynamic_level_bytes ? 0.025 : 0.08);

  EXPECT_LT(optimal.wasted, uniform.wasted * 0.8);
  EXPECT_LT(optimal_young.wasted, uniform_young.wasted / 3);
  // At equal memory, whatever the two trees look like.
  EXPECT_LT(optimal.wasted, UniformReads(optimal, kind) * 0.8);
  EXPECT_LT(optimal_young.wasted, UniformReads(optimal_young, kind) / 3);
  for (const Measured* measured : {&optimal, &optimal_young}) {
    EXPECT_LT(ExpectedReads(measured->levels, kind),
              LeastReads(measured->levels, kind) * 1.03);
    // Some hundred false positives were seen.
    EXPECT_NEAR(measured->wasted / ExpectedReads(measured->levels, kind), 1,
                kind == FilterKind::kBloom ? 0.10 : 0.15);
  }
}

INSTANTIATE_TEST_SUITE_P(Trees, LevelAllocationTest,
                         testing::Values(Case{FilterKind::kBloom, false},
                                         Case{FilterKind::kBloom, true},
                                         Case{FilterKind::kParity, true}),
                         testing::PrintToStringParamName());

// In key order, a flush every `kKeysOfAFlush` keys.
void LoadInOrder(Database* database, const std::string& prefix,
                 uint64_t count) {
  const std::string value(24, 'v');
  char key[32];
  for (uint64_t i = 0; i < count; ++i) {
    std::snprintf(key, sizeof(key), "%s%012llu", prefix.c_str(),
                  static_cast<unsigned long long>(i));
    database->Put(key, value);
    if ((i + 1) % kKeysOfAFlush == 0) database->Flush();
  }
  database->Flush();
  WaitForCompactions(*database);
}

TEST(LevelAllocation, LoadInKeyOrderCostsAtMostThirtyPercentMore) {
  for (bool dynamic_level_bytes : {false, true}) {
    std::map<LevelAllocation, Measured> measured;
    for (auto allocation :
         {LevelAllocation::kUniform, LevelAllocation::kOptimal}) {
      Database database(Policy(Options(FilterKind::kBloom, allocation)));
      Prepare(&database, dynamic_level_bytes);
      database.Open();
      LoadInOrder(&database, "key", 100'000);
      measured[allocation].levels = Levels(database);
      // No table was rewritten.
      EXPECT_EQ(database.Ticker(rocksdb::COMPACT_WRITE_BYTES), 0U);
      EXPECT_GT(database.Tables(), database.Tables(0));
    }
    const double uniform = measured[LevelAllocation::kUniform].bits_per_key();
    const double optimal = measured[LevelAllocation::kOptimal].bits_per_key();
    EXPECT_LE(optimal, uniform * 1.3);
    EXPECT_GE(optimal, uniform);
  }
}

// FIFO keeps all tables in level 0, all alike, and never calls one bottommost.
TEST(LevelAllocation, FifoIsUniform) {
  constexpr int kFiles = 40;
  constexpr uint64_t kKeysOfAFile = 2'000;
  Database database(
      Policy(Options(FilterKind::kBloom, LevelAllocation::kOptimal)));
  database.options.compaction_style = rocksdb::kCompactionStyleFIFO;
  database.options.num_levels = 1;
  database.Open();
  for (int file = 0; file < kFiles; ++file) {
    for (uint64_t i = 0; i < kKeysOfAFile; ++i) {
      database.Put(Present(static_cast<uint64_t>(file) * kKeysOfAFile + i),
                   "v");
    }
    database.Flush();
  }
  ASSERT_EQ(database.Tables(0), kFiles);
  const std::map<int, Level> levels = Levels(database);
  EXPECT_NEAR(levels.at(0).bits_per_key(), 10, 0.4);
  EXPECT_NEAR(
      WastedReads(database, 20'000) /
          (kFiles * RateAt(FilterKind::kBloom, levels.at(0).bits_per_key())),
      1, 0.1);
}

TEST(LevelAllocation, ExternalTablesAreUniform) {
  Database database(
      Policy(Options(FilterKind::kBloom, LevelAllocation::kOptimal)));
  database.Open();
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), database.AllOptions());
  const std::string path = database.directory() / "external.sst";
  Check(writer.Open(path));
  char key[16];
  for (int i = 0; i < 10'000; ++i) {
    std::snprintf(key, sizeof(key), "%08d", i);
    Check(writer.Put(key, "v"));
  }
  Check(writer.Finish());
  Check(database->IngestExternalFile({path}, {}));
  const std::map<int, Level> levels = Levels(database);
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_NEAR(levels.begin()->second.bits_per_key(), 10, 0.1);
  EXPECT_TRUE(database.Get("00001234").has_value());
}

// Runs of several sizes: none gets an absurd number of bits.
TEST(LevelAllocation, UniversalStaysNearTheBudget) {
  Database database(
      Policy(Options(FilterKind::kBloom, LevelAllocation::kOptimal)));
  database.options.disable_auto_compactions = false;
  database.options.compaction_style = rocksdb::kCompactionStyleUniversal;
  database.options.write_buffer_size = 1 << 20;
  database.Open();
  double bits = 0;
  int samples = 0;
  for (uint64_t i = 0; i < 60; ++i) {
    for (uint64_t j = 0; j < 3'000; ++j) {
      database.Put(Present(3'000 * i + j), "v");
    }
    database.Flush();
    if (i % 4 != 3) continue;
    WaitForCompactions(database);
    Measured measured;
    measured.levels = Levels(database);
    EXPECT_LT(measured.bits_per_key(), 13);
    bits += measured.bits_per_key();
    ++samples;
  }
  EXPECT_NEAR(bits / samples, 10, 1);
  for (uint64_t i = 0; i < 180'000; i += 1'000) {
    EXPECT_TRUE(database.Get(Present(i)).has_value());
  }
}

}  // namespace
}  // namespace sstfilter::dbtest
