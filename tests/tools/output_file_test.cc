#include "tools/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "file_size_limit.h"
#include "run_tool.h"
#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

void ExpectRefusedAndUnwritten(const std::string& path,
                               const std::string& why) {
  for (const rocksdb::Status& status :
       {CheckOutputFile(path), WriteOutputFile(path, "new")}) {
    EXPECT_TRUE(status.IsIOError()) << status.ToString();
    ExpectSays(status.ToString(), path + ": " + why);
  }
}

mode_t PermissionsOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(OutputFileTest, NewAndReplaced) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("file");
  for (const std::string& bytes : {std::string("a\0b", 3), std::string()}) {
    EXPECT_TRUE(CheckOutputFile(path).ok());
    EXPECT_TRUE(WriteOutputFile(path, bytes).ok());
    EXPECT_EQ(directory.Read("file"), bytes);
  }
  EXPECT_EQ(directory.Entries(), 1u);
}

TEST(OutputFileTest, Permissions) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("file");
  const mode_t mask = umask(027);
  EXPECT_TRUE(WriteOutputFile(path, "").ok());
  umask(mask);
  EXPECT_EQ(PermissionsOf(path), 0640u);
  ASSERT_EQ(chmod(path.c_str(), 0604), 0);
  EXPECT_TRUE(WriteOutputFile(path, "").ok());
  EXPECT_EQ(PermissionsOf(path), 0604u);
}

TEST(OutputFileTest, NamesAsLongAsTheyCanBe) {
  const TemporaryDirectory directory;
  const std::string longest(255, 'x');
  EXPECT_TRUE(CheckOutputFile(directory.Path(longest)).ok());
  EXPECT_TRUE(WriteOutputFile(directory.Path(longest), "new").ok());
  EXPECT_EQ(directory.Read(longest), "new");
  ExpectRefusedAndUnwritten(directory.Path(longest + "x"), "File name too");
}

TEST(OutputFileTest, RelativePaths) {
  const std::string path = "output-file-test-" + std::to_string(getpid());
  EXPECT_TRUE(CheckOutputFile(path).ok());
  EXPECT_TRUE(WriteOutputFile(path, "new").ok());
  EXPECT_TRUE(std::filesystem::remove(path));
}

TEST(OutputFileTest, CannotBeWritten) {
  const TemporaryDirectory directory;
  ExpectRefusedAndUnwritten(directory.path(), "Is a directory");
  ExpectRefusedAndUnwritten(directory.Path("no/file"), "No such file");
  const std::string circle = directory.Path("circle");
  std::filesystem::create_symlink(circle, circle);
  ExpectRefusedAndUnwritten(circle, "Too many levels");
  EXPECT_EQ(directory.Entries(), 1u);
}

TEST(OutputFileTest, PermissionsForbidIt) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everything";
  const TemporaryDirectory directory;
  const std::string path = directory.Write("file", "old");
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  EXPECT_TRUE(CheckOutputFile(path).IsIOError());
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  ASSERT_EQ(chmod(directory.path().c_str(), 0555), 0);
  EXPECT_TRUE(CheckOutputFile(path).IsIOError());
  EXPECT_TRUE(CheckOutputFile(directory.Path("new")).IsIOError());
  ASSERT_EQ(chmod(directory.path().c_str(), 0755), 0);
}

TEST(OutputFileTest, LinksStay) {
  const TemporaryDirectory directory;
  const TemporaryDirectory links;
  directory.Write("old", "old");
  for (const char* name : {"old", "new"}) {
    // The second is relative.
    std::filesystem::create_symlink(directory.Path(name), links.Path(name));
    const std::string path = links.Path("to-") + name;
    std::filesystem::create_symlink(name, path);
    EXPECT_TRUE(CheckOutputFile(path).ok());
    EXPECT_EQ(directory.Read(name), name == std::string("old") ? "old" : "");
    EXPECT_TRUE(WriteOutputFile(path, "bytes").ok());
    EXPECT_TRUE(std::filesystem::is_symlink(path));
    EXPECT_EQ(directory.Read(name), "bytes");
  }
  EXPECT_EQ(directory.Entries(), 2u);
  EXPECT_EQ(links.Entries(), 4u);
}

TEST(OutputFileTest, NoRoomForIt) {
  const TemporaryDirectory directory;
  const std::string old = directory.Write("old", "old");
  const std::string bytes(1 << 20, 'x');
  {
    const FileSizeLimit limit(1 << 16);
    for (const std::string& path : {old, directory.Path("new")}) {
      const rocksdb::Status status = WriteOutputFile(path, bytes);
      EXPECT_TRUE(status.IsIOError()) << status.ToString();
      ExpectSays(status.ToString(), path + ": File too large");
    }
  }
  EXPECT_EQ(directory.Read("old"), "old");
  EXPECT_EQ(directory.Entries(), 1u);
}

TEST(OutputFileTest, LeftoversOfOthersStay) {
  const TemporaryDirectory directory;
  const std::string name = ".sstfilter-" + std::to_string(getpid()) + "-0.tmp";
  directory.Write(name, "theirs");
  EXPECT_TRUE(CheckOutputFile(directory.Path("file")).ok());
  EXPECT_TRUE(WriteOutputFile(directory.Path("file"), "new").ok());
  EXPECT_EQ(directory.Read(name), "theirs");
  EXPECT_EQ(directory.Entries(), 2u);
}

TEST(OutputFileTest, DevicesAreWrittenTo) {
  EXPECT_TRUE(CheckOutputFile("/dev/null").ok());
  EXPECT_TRUE(WriteOutputFile("/dev/null", "new").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_TRUE(CheckOutputFile("/dev/full").ok());
  ExpectSays(WriteOutputFile("/dev/full", "new").ToString(), "No space left");
}

TEST(OutputFileTest, PipesAreWrittenTo) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  // Would not return if it opened the pipe, which nobody reads yet.
  EXPECT_TRUE(CheckOutputFile(path).ok());
  std::string got;
  std::thread reader([&] { got = directory.Read("pipe"); });
  EXPECT_TRUE(WriteOutputFile(path, "new").ok());
  reader.join();
  EXPECT_EQ(got, "new");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_EQ(directory.Entries(), 1u);
}

}  // namespace
}  // namespace sstfilter::tools
