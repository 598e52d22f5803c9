// A process that is killed while it writes, flushes and compacts: what was
// acknowledged is found afterwards, and every filter knows the keys of its
// table.
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "crash_database.h"
#include "lookups.h"
#include "tests/filter/sampling.h"
#include "tools/table_files.h"
#include "tools/verify.h"

namespace sstfilter::dbtest {
namespace {

// crash_writer.cc at work.
class Writer {
 public:
  explicit Writer(std::vector<std::string> arguments) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    acknowledgements_ = ends[0];
    arguments.insert(arguments.begin(), SSTFILTER_CRASH_WRITER);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const int failure = posix_spawn(&process_, argv[0], &actions, nullptr,
                                    argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failure != 0) throw std::runtime_error(std::strerror(failure));
  }
  ~Writer() { close(acknowledgements_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // The next key that the database has taken; none when the writer is gone.
  std::optional<uint64_t> NextAcknowledged() {
    uint64_t number;
    auto* bytes = reinterpret_cast<char*>(&number);
    for (size_t have = 0; have < sizeof(number);) {
      const ssize_t got =
          read(acknowledgements_, bytes + have, sizeof(number) - have);
      if (got <= 0) return std::nullopt;
      have += static_cast<size_t>(got);
    }
    return number;
  }

  // Says what ended the process.
  int Kill() {
    kill(process_, SIGKILL);
    int state = 0;
    waitpid(process_, &state, 0);
    return state;
  }

 private:
  pid_t process_ = 0;
  int acknowledgements_ = -1;
};

using OpenDatabase = std::unique_ptr<rocksdb::DB>;

OpenDatabase OpenAgain(const std::string& path, FilterKind kind,
                       bool partitioned) {
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(CrashOptions(kind, partitioned), path, &db));
  return OpenDatabase(db);
}

// By Get and by MultiGet.
void ExpectFound(rocksdb::DB* db, const std::vector<std::string>& keys) {
  constexpr size_t kBatch = 100;
  for (size_t begin = 0; begin < keys.size(); begin += kBatch) {
    const size_t count = std::min(kBatch, keys.size() - begin);
    const std::vector<rocksdb::Slice> asked(keys.begin() + begin,
                                            keys.begin() + begin + count);
    std::vector<rocksdb::PinnableSlice> values(count);
    std::vector<rocksdb::Status> statuses(count);
    db->MultiGet({}, db->DefaultColumnFamily(), count, asked.data(),
                 values.data(), statuses.data());
    for (size_t i = 0; i < count; ++i) {
      const std::string& key = keys[begin + i];
      ASSERT_TRUE(statuses[i].ok()) << key << ": " << statuses[i].ToString();
      ASSERT_EQ(values[i].ToString(), ValueOf(key));
      std::string value;
      const rocksdb::Status status = db->Get({}, key, &value);
      ASSERT_TRUE(status.ok()) << key << ": " << status.ToString();
      ASSERT_EQ(value, ValueOf(key));
    }
  }
}

// `sstfilter verify` on what the database left on the disk.
void ExpectSound(const std::string& path, uint64_t* tables) {
  const tools::TableFiles found = tools::FindTables({path});
  EXPECT_EQ(found.problems, std::vector<std::string>());
  tools::VerifyOptions options;
  options.absent = 0;
  options.threads = 2;
  std::vector<tools::TableVerdict> verdicts;
  ASSERT_TRUE(tools::VerifyTables(found.tables, options, &verdicts).ok());
  for (const tools::TableVerdict& verdict : verdicts) {
    EXPECT_EQ(verdict.state, tools::TableVerdict::State::kSound)
        << verdict.table.path
        << (verdict.failures.empty() ? "" : ": " + verdict.failures[0]);
  }
  *tables = verdicts.size();
}

class Crash : public testing::TestWithParam<FilterKind> {};

TEST_P(Crash, NothingAcknowledgedIsLost) {
  constexpr uint64_t kSeed = 601;
  constexpr size_t kCheckAllEvery = 10;
  SCOPED_TRACE(kSeed);
  Random random(kSeed + static_cast<uint64_t>(GetParam()));
  const TempDir directory;
  const std::string path = directory / "db";
  const size_t kills = Scaled(4);
  uint64_t written = 0;  // keys 0 to this, excluded, are acknowledged
  uint64_t tables = 0;
  for (size_t round = 1; round <= kills; ++round) {
    const bool sync = random.Below(2) == 0;
    const bool partitioned = random.Below(2) == 0;
    SCOPED_TRACE("kill " + std::to_string(round) + (sync ? ", sync" : "") +
                 (partitioned ? ", partitioned" : ""));
    Writer writer({path, FilterKindName(GetParam()), std::to_string(written),
                   sync ? "sync" : "nosync",
                   partitioned ? "partitioned" : "full"});
    // One in four dies while it opens the database or soon after, but not the
    // first: it may be the only one.
    const bool early = random.Below(4) == 0 && round > 1;
    const uint64_t keys = early ? 0 : 1 + random.Below(5000);
    for (uint64_t i = 0; i < keys; ++i) {
      const auto number = writer.NextAcknowledged();
      if (!number.has_value()) break;
      written = *number + 1;
    }
    usleep(static_cast<useconds_t>(random.Below(early ? 20000 : 3000)));
    const int end = writer.Kill();
    ASSERT_TRUE(WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL)
        << "the writer ended by itself: " << end;
    while (const auto number = writer.NextAcknowledged()) written = *number + 1;

    OpenDatabase db = OpenAgain(path, GetParam(), partitioned);
    std::vector<std::string> asked;
    if (round % kCheckAllEvery == 0 || round == kills) {
      for (uint64_t key = 0; key < written; ++key) asked.push_back(Key(key));
    } else {
      for (int i = 0; i < 1000 && written > 0; ++i) {
        asked.push_back(Key(random.Below(written)));
      }
      // Where flushes and the log meet.
      for (uint64_t key = written - std::min<uint64_t>(written, 1000);
           key < written; ++key) {
        asked.push_back(Key(key));
      }
    }
    ExpectFound(db.get(), asked);
    db.reset();
    ExpectSound(path, &tables);
    if (HasFailure()) return;
  }
  EXPECT_GT(written, 0u);
  EXPECT_GT(tables, 0u);
  RecordProperty("keys", std::to_string(written));
  RecordProperty("tables", std::to_string(tables));
}

INSTANTIATE_TEST_SUITE_P(All, Crash, testing::ValuesIn(BuiltKinds()),
                         [](const testing::TestParamInfo<FilterKind>& test) {
                           return std::string(FilterKindName(test.param));
                         });

}  // namespace
}  // namespace sstfilter::dbtest
