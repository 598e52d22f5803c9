// Databases that reach their files in other ways than flush and open:
// ingestion, recovery, read-only and secondary instances, checkpoints, backups,
// transactions.
#include <gtest/gtest.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/backup_engine.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>

#include <memory>
#include <string>
#include <vector>

#include "lookups.h"

namespace sstfilter::dbtest {
namespace {

class Copies : public testing::TestWithParam<PolicyUnderTest> {
 protected:
  Copies()
      : database_(GetParam().make()),
        present_(PresentKeys(2000)),
        absent_(AbsentKeys(1500)) {}

  void Write() {
    database_.Open();
    PutAll(database_, present_);
    database_.Flush();
  }

  void ExpectUsefulTables(uint64_t tables = 1) {
    ExpectUseful(GetParam(), database_, present_, absent_, tables);
  }

  // Opens the copy at `path` with the policy and looks everything up in it.
  void ExpectCopyIsUseful(const std::string& path) {
    rocksdb::DB* copy = nullptr;
    Check(rocksdb::DB::OpenForReadOnly(database_.AllOptions(), path, &copy));
    database_.Adopt(copy);
    ExpectUsefulTables();
  }

  Database database_;
  const std::vector<std::string> present_;
  const std::vector<std::string> absent_;
};

// Three external files: one with this policy, one without a filter, one with
// another policy.
TEST_P(Copies, FieldCase51IngestedFiles) {
  auto observations = std::make_shared<Observations>();
  const PolicyPtr policies[] = {Observe(GetParam().make(), observations),
                                nullptr, NewKeyKeepingPolicy(0)};
  std::vector<std::string> files;
  for (size_t file = 0; file < 3; ++file) {
    Database writer_options(policies[file]);
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(),
                                  writer_options.AllOptions());
    files.push_back(database_.directory() /
                    ("external" + std::to_string(file) + ".sst"));
    Check(writer.Open(files.back()));
    for (const std::string& key : PresentKeys(1000, 1000 * file)) {
      Check(writer.Put(key, ValueOf(key)));
    }
    Check(writer.Finish());
  }
  ASSERT_EQ(observations->Contexts().size(), 1u);
  const Observations::Context context = observations->Contexts()[0];
  EXPECT_EQ(context.level, -1);
  EXPECT_EQ(context.num_levels, -1);
  EXPECT_EQ(context.column_family, "");
  EXPECT_EQ(context.reason, rocksdb::TableFileCreationReason::kMisc);

  database_.Open();
  Check(database_->IngestExternalFile(files, {}));
  ASSERT_EQ(database_.Tables(), 3);
  ExpectAllFound(database_, PresentKeys(3000));
  ExpectSkipped(GetParam(), GetAbsent(database_, AbsentKeys(999)).skipped, 999);
  EXPECT_EQ(GetAbsent(database_, AbsentKeys(999, 1000)).skipped, 0u)
      << "no filter";
  const uint64_t third = GetAbsent(database_, AbsentKeys(999, 2000)).skipped;
  if (GetParam().name == "exact") {
    EXPECT_EQ(third, 999u);
  } else {
    EXPECT_EQ(third, 0u) << "a filter of another policy is not read";
  }
  size_t without_filter = 0;
  for (const auto& table : database_.Properties()) {
    without_filter += table.second->filter_size == 0;
  }
  EXPECT_EQ(without_filter, 1u);
  database_.Compact();
  ExpectUseful(GetParam(), database_, PresentKeys(3000), AbsentKeys(2999));
}

TEST_P(Copies, RecoveryFromTheWriteAheadLog) {
  auto observations = std::make_shared<Observations>();
  database_.table.filter_policy = Observe(GetParam().make(), observations);
  database_.options.avoid_flush_during_recovery = false;
  database_.Open();
  PutAll(database_, present_);
  Check(database_->FlushWAL(true));
  database_.Open();  // without a flush before
  ASSERT_EQ(database_.Tables(), 1);
  const auto contexts = observations->Contexts();
  ASSERT_EQ(contexts.size(), 1u);
  EXPECT_EQ(contexts[0].reason, rocksdb::TableFileCreationReason::kRecovery);
  ExpectUsefulTables();
}

TEST_P(Copies, ReadOnly) {
  Write();
  database_.Close();
  ExpectCopyIsUseful(database_.path());
}

TEST_P(Copies, SecondaryCatchesUp) {
  Write();
  rocksdb::Options options = database_.AllOptions();
  options.max_open_files = -1;
  rocksdb::DB* opened = nullptr;
  Check(rocksdb::DB::OpenAsSecondary(
      options, database_.path(), database_.directory() / "secondary", &opened));
  const std::unique_ptr<rocksdb::DB> secondary(opened);
  const auto more = PresentKeys(2000, 2000);
  PutAll(database_, more);
  database_.Flush();
  Check(secondary->TryCatchUpWithPrimary());
  std::string value;
  for (const auto* keys : {&present_, &more}) {
    for (const std::string& key : *keys) {
      Check(secondary->Get({}, key, &value));
      ASSERT_EQ(value, ValueOf(key));
    }
  }
  const Activity before = database_.activity();
  for (const std::string& key : AbsentKeys(1900)) {
    ASSERT_TRUE(secondary->Get({}, key, &value).IsNotFound());
  }
  const Activity activity = database_.activity() - before;
  // Level 0: both tables are asked.
  ExpectSkipped(GetParam(), activity.skipped,
                activity.skipped + activity.passed);
  EXPECT_GE(activity.skipped + activity.passed, 1900u);
}

TEST_P(Copies, Checkpoint) {
  Write();
  rocksdb::Checkpoint* made = nullptr;
  Check(rocksdb::Checkpoint::Create(database_.get(), &made));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  Check(checkpoint->CreateCheckpoint(database_.directory() / "checkpoint"));
  for (const std::string& key : present_) database_.Delete(key);
  database_.Compact();
  database_.Close();
  ExpectCopyIsUseful(database_.directory() / "checkpoint");
}

TEST_P(Copies, BackupAndRestore) {
  Write();
  const std::string restored = database_.directory() / "restored";
  {
    rocksdb::BackupEngine* opened = nullptr;
    Check(rocksdb::BackupEngine::Open(
        rocksdb::BackupEngineOptions(database_.directory() / "backup"),
        rocksdb::Env::Default(), &opened));
    const std::unique_ptr<rocksdb::BackupEngine> backup(opened);
    Check(backup->CreateNewBackup(database_.get(), true));
    Check(backup->VerifyBackup(1, true));
    database_.Close();
    Check(backup->RestoreDBFromLatestBackup(restored, restored));
  }
  ExpectCopyIsUseful(restored);
}

template <typename Db, typename... Extra>
Db* OpenTransactional(const Database& database, const Extra&... extra) {
  Db* db = nullptr;
  Check(Db::Open(database.AllOptions(), extra..., database.path(), &db));
  return db;
}

void WriteInTransactions(rocksdb::Transaction* transaction,
                         const std::vector<std::string>& keys) {
  std::string value;
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_TRUE(transaction->GetForUpdate({}, keys[i], &value).IsNotFound());
    Check(transaction->Put(keys[i], ValueOf(keys[i])));
    Check(transaction->Get({}, keys[i], &value));
    ASSERT_EQ(value, ValueOf(keys[i]));
    // Both from the batch and from the tables below.
    if (i > 0) Check(transaction->GetForUpdate({}, keys[i / 2], &value));
  }
  Check(transaction->Commit());
}

TEST_P(Copies, PessimisticTransactions) {
  auto* db = OpenTransactional<rocksdb::TransactionDB>(
      database_, rocksdb::TransactionDBOptions());
  database_.Adopt(db);
  const std::vector<std::string> halves[] = {PresentKeys(1000),
                                             PresentKeys(1000, 1000)};
  for (const auto& half : halves) {
    const std::unique_ptr<rocksdb::Transaction> transaction(
        db->BeginTransaction({}));
    WriteInTransactions(transaction.get(), half);
    database_.Flush();
  }
  database_.Compact();
  ExpectUsefulTables();
}

TEST_P(Copies, OptimisticTransactions) {
  auto* db = OpenTransactional<rocksdb::OptimisticTransactionDB>(database_);
  database_.Adopt(db);
  const std::vector<std::string> halves[] = {PresentKeys(1000),
                                             PresentKeys(1000, 1000)};
  for (const auto& half : halves) {
    const std::unique_ptr<rocksdb::Transaction> transaction(
        db->BeginTransaction({}));
    WriteInTransactions(transaction.get(), half);
    database_.Flush();
  }
  database_.Compact();
  ExpectUsefulTables();
}

INSTANTIATE_TEST_SUITE_P(All, Copies, testing::ValuesIn(AllPolicies()),
                         PolicyName<testing::TestParamInfo<PolicyUnderTest>>);

}  // namespace
}  // namespace sstfilter::dbtest
