#include "tools/direct_read_file_system.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

class DirectReadFileSystemTest : public testing::Test {
 protected:
  void SetUp() override {
    const rocksdb::Status status =
        CheckDirectReads(rocksdb::FileSystem::Default(), directory_.path());
    if (!status.ok()) GTEST_SKIP() << "no direct I/O: " << status.ToString();
  }

  TemporaryDirectory directory_;
};

TEST_F(DirectReadFileSystemTest, CheckLeavesNothingBehind) {
  EXPECT_EQ(directory_.Entries(), 0u);
}

TEST_F(DirectReadFileSystemTest, AnyOffsetAndLength) {
  std::string text;
  for (int i = 0; text.size() < 20000; ++i) text += std::to_string(i) + ",";
  const std::string path = directory_.Write("1.sst", text);
  const auto file_system =
      NewDirectReadFileSystem(rocksdb::FileSystem::Default());
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  ASSERT_TRUE(file_system->NewRandomAccessFile(path, {}, &file, nullptr).ok());

  // Within a page, across pages, whole pages, past the end.
  const size_t end = text.size();
  for (const size_t offset : {size_t{0}, size_t{1}, size_t{4095}, size_t{4096},
                              size_t{8000}, end - 1, end, end + 5000}) {
    for (const size_t length : {0, 1, 5, 4096, 5000, 12288, 30000}) {
      std::vector<char> scratch(length + 1);
      rocksdb::Slice read;
      ASSERT_TRUE(
          file->Read(offset, length, {}, &read, scratch.data(), nullptr).ok());
      EXPECT_EQ(read.ToString(),
                offset >= end ? "" : text.substr(offset, length))
          << offset << " " << length;
    }
  }
}

TEST_F(DirectReadFileSystemTest, MultiReadGivesTheSame) {
  const std::string path = directory_.Write(
      "1.sst", std::string(5000, 'a') + "middle" + std::string(5000, 'z'));
  const auto file_system =
      NewDirectReadFileSystem(rocksdb::FileSystem::Default());
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  ASSERT_TRUE(file_system->NewRandomAccessFile(path, {}, &file, nullptr).ok());
  std::vector<char> scratch(100);
  std::vector<rocksdb::FSReadRequest> requests(2);
  requests[0].offset = 4999;
  requests[0].len = 8;
  requests[0].scratch = scratch.data();
  requests[1].offset = 5000;
  requests[1].len = 6;
  requests[1].scratch = scratch.data() + 50;
  ASSERT_TRUE(file->MultiRead(requests.data(), 2, {}, nullptr).ok());
  EXPECT_EQ(requests[0].result.ToString(), "amiddlez");
  EXPECT_EQ(requests[1].result.ToString(), "middle");
}

TEST_F(DirectReadFileSystemTest, OtherFilesAreLeftAlone) {
  const std::string path = directory_.Write("CURRENT", "MANIFEST");
  const auto file_system =
      NewDirectReadFileSystem(rocksdb::FileSystem::Default());
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  ASSERT_TRUE(file_system->NewRandomAccessFile(path, {}, &file, nullptr).ok());
  char scratch[8];
  rocksdb::Slice read;
  ASSERT_TRUE(file->Read(0, 8, {}, &read, scratch, nullptr).ok());
  EXPECT_EQ(read.ToString(), "MANIFEST");
}

TEST(CheckDirectReadsTest, SaysWhyNot) {
  EXPECT_FALSE(
      CheckDirectReads(rocksdb::FileSystem::Default(), "/nonexistent").ok());
}

}  // namespace
}  // namespace sstfilter::tools
