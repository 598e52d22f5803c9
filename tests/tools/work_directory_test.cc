#include "tools/work_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "temporary_directory.h"

namespace sstfilter::tools {
namespace {

namespace fs = std::filesystem;

TEST(WorkDirectoryTest, TemporaryOneIsRemoved) {
  std::string path;
  {
    WorkDirectory work;
    ASSERT_TRUE(work.Open("").ok());
    path = work.path();
    EXPECT_TRUE(fs::is_directory(path));
    fs::create_directories(work.DatabasePath(0));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(WorkDirectoryTest, NewAndEmptyOnesAreUsedAndKept) {
  const TemporaryDirectory directory;
  fs::create_directory(directory.Path("empty"));
  for (const char* name : {"new", "empty"}) {
    {
      WorkDirectory work;
      ASSERT_TRUE(work.Open(directory.Path(name)).ok());
      fs::create_directory(work.DatabasePath(0));
    }
    EXPECT_TRUE(fs::is_directory(directory.Path(name) + "/configuration-0"));
  }
}

TEST(WorkDirectoryTest, OnlyOurDatabasesOfAnEarlierRunAreRemoved) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("work");
  {
    WorkDirectory work;
    ASSERT_TRUE(work.Open(path).ok());
    fs::create_directories(work.DatabasePath(0) + "/deep");
    fs::create_directories(work.DatabasePath(11));
  }
  directory.Write("work/notes", "mine");
  fs::create_directory(path + "/configuration-mine");
  WorkDirectory again;
  ASSERT_TRUE(again.Open(path).ok());
  EXPECT_FALSE(fs::exists(again.DatabasePath(0)));
  EXPECT_FALSE(fs::exists(again.DatabasePath(11)));
  EXPECT_EQ(directory.Read("work/notes"), "mine");
  EXPECT_TRUE(fs::exists(path + "/configuration-mine"));
}

TEST(WorkDirectoryTest, ForeignOnesAreRefusedAndLeftAlone) {
  const TemporaryDirectory directory;
  fs::create_directories(directory.Path("foreign/configuration-0"));
  directory.Write("foreign/CURRENT", "MANIFEST-000001\n");
  directory.Write("foreign/configuration-0/data", "precious");
  WorkDirectory work;
  const rocksdb::Status status = work.Open(directory.Path("foreign"));
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find(directory.Path("foreign")),
            std::string::npos);
  EXPECT_EQ(directory.Read("foreign/CURRENT"), "MANIFEST-000001\n");
  EXPECT_EQ(directory.Read("foreign/configuration-0/data"), "precious");
  EXPECT_FALSE(fs::exists(directory.Path("foreign/SSTFILTER_MEASURE")));
}

TEST(WorkDirectoryTest, AFileOfTheMarkersNameIsNotEnough) {
  const TemporaryDirectory directory;
  fs::create_directory(directory.Path("foreign"));
  directory.Write("foreign/SSTFILTER_MEASURE", "my own notes\n");
  WorkDirectory work;
  EXPECT_FALSE(work.Open(directory.Path("foreign")).ok());
  EXPECT_EQ(directory.Read("foreign/SSTFILTER_MEASURE"), "my own notes\n");
}

TEST(WorkDirectoryTest, FilesAndMissingParentsAreRefused) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("file", "text");
  WorkDirectory work;
  EXPECT_TRUE(work.Open(file).IsInvalidArgument());
  EXPECT_EQ(directory.Read("file"), "text");
  WorkDirectory other;
  EXPECT_TRUE(other.Open(directory.Path("no/such")).IsInvalidArgument());
}

TEST(WorkDirectoryTest, TwoRunsCannotShareOne) {
  const TemporaryDirectory directory;
  auto first = std::make_unique<WorkDirectory>();
  ASSERT_TRUE(first->Open(directory.Path("work")).ok());
  fs::create_directory(first->DatabasePath(0));
  {
    WorkDirectory second;
    EXPECT_TRUE(second.Open(directory.Path("work")).IsInvalidArgument());
  }
  EXPECT_TRUE(fs::exists(first->DatabasePath(0)));
  first.reset();
  WorkDirectory third;
  EXPECT_TRUE(third.Open(directory.Path("work")).ok());
}

}  // namespace
}  // namespace sstfilter::tools
