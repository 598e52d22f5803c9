#include "tools/counting_file_system.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

class CountingFileSystemTest : public testing::Test {
 protected:
  std::unique_ptr<rocksdb::FSRandomAccessFile> Open(const std::string& name) {
    directory_.Write(name, std::string(1000, 'x'));
    std::unique_ptr<rocksdb::FSRandomAccessFile> file;
    EXPECT_TRUE(
        file_system_
            ->NewRandomAccessFile(directory_.Path(name), {}, &file, nullptr)
            .ok());
    return file;
  }

  static void Read(rocksdb::FSRandomAccessFile* file, uint64_t offset,
                   size_t length) {
    std::vector<char> scratch(length);
    rocksdb::Slice read;
    ASSERT_TRUE(
        file->Read(offset, length, {}, &read, scratch.data(), nullptr).ok());
    ASSERT_EQ(read.size(), length);
  }

  TemporaryDirectory directory_;
  std::shared_ptr<TableReadCounter> counter_ =
      std::make_shared<TableReadCounter>();
  std::shared_ptr<rocksdb::FileSystem> file_system_ =
      NewCountingFileSystem(rocksdb::FileSystem::Default(), counter_);
};

TEST_F(CountingFileSystemTest, CountsReadsOfTables) {
  const auto file = Open("000007.sst");
  Read(file.get(), 0, 100);
  Read(file.get(), 900, 100);
  EXPECT_EQ(counter_->Counts().reads, 2u);
  EXPECT_EQ(counter_->Counts().bytes, 200u);
  EXPECT_EQ(counter_->Counts().filter_reads, 0u);
}

TEST_F(CountingFileSystemTest, IgnoresOtherFiles) {
  Read(Open("000008.log").get(), 0, 100);
  Read(Open("MANIFEST-000004").get(), 0, 100);
  EXPECT_EQ(counter_->Counts().reads, 0u);
}

TEST_F(CountingFileSystemTest, CountsEveryRequestOfMultiRead) {
  const auto file = Open("000007.sst");
  std::vector<char> scratch(300);
  std::vector<rocksdb::FSReadRequest> requests(3);
  for (size_t i = 0; i < requests.size(); ++i) {
    requests[i].offset = 200 * i;
    requests[i].len = 100;
    requests[i].scratch = scratch.data() + 100 * i;
  }
  ASSERT_TRUE(
      file->MultiRead(requests.data(), requests.size(), {}, nullptr).ok());
  EXPECT_EQ(counter_->Counts().reads, 3u);
  EXPECT_EQ(counter_->Counts().bytes, 300u);
}

TEST_F(CountingFileSystemTest, TellsFilterReadsByWhereTheyBegin) {
  const auto file = Open("000007.sst");
  counter_->SetFilterRange("/some/where/000007.sst", 400, 500);
  Read(file.get(), 300, 100);  // the last data block
  Read(file.get(), 400, 100);  // a full filter
  Read(file.get(), 450, 20);   // a partition of one
  Read(file.get(), 500, 100);  // the index
  EXPECT_EQ(counter_->Counts().reads, 4u);
  EXPECT_EQ(counter_->Counts().filter_reads, 2u);
  EXPECT_EQ(counter_->Counts().filter_bytes, 120u);
}

TEST_F(CountingFileSystemTest, RangesMayBeKnownBeforeTheTableIsOpened) {
  counter_->SetFilterRange("000009.sst", 0, 100);
  Read(Open("000009.sst").get(), 0, 100);
  Read(Open("000010.sst").get(), 0, 100);
  EXPECT_EQ(counter_->Counts().filter_reads, 1u);
}

TEST_F(CountingFileSystemTest, DifferenceAndSum) {
  const auto file = Open("000007.sst");
  Read(file.get(), 0, 10);
  const ReadCounts before = counter_->Counts();
  Read(file.get(), 0, 30);
  ReadCounts sum = counter_->Counts() - before;
  EXPECT_EQ(sum.reads, 1u);
  EXPECT_EQ(sum.bytes, 30u);
  sum += before;
  EXPECT_EQ(sum.reads, 2u);
  EXPECT_EQ(sum.bytes, 40u);
}

TEST_F(CountingFileSystemTest, FailureToOpenIsPassedOn) {
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  EXPECT_FALSE(file_system_
                   ->NewRandomAccessFile(directory_.Path("missing.sst"), {},
                                         &file, nullptr)
                   .ok());
  EXPECT_EQ(file, nullptr);
}

TEST(IsTableFileNameTest, ByEnding) {
  EXPECT_TRUE(IsTableFileName("/db/000123.sst"));
  EXPECT_TRUE(IsTableFileName("000123.ldb"));
  EXPECT_FALSE(IsTableFileName("000123.sst.trash"));
  EXPECT_FALSE(IsTableFileName("sst"));
  EXPECT_FALSE(IsTableFileName("CURRENT"));
}

}  // namespace
}  // namespace sstfilter::tools
