#include "table/page_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "table/hash_list.h"

namespace sstfilter {
namespace {

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));

// Pages that nobody has written to yet.
class FreshPages {
 public:
  explicit FreshPages(size_t pages)
      : bytes_(pages * kPage),
        data_(static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~FreshPages() { munmap(data_, bytes_); }
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;

  char* data() { return data_; }

 private:
  const size_t bytes_;
  char* const data_;
};

// One character per page that `begin` starts: whether it has memory.
std::string Resident(const void* begin, size_t pages) {
  std::vector<unsigned char> flags(pages);
  const auto first = reinterpret_cast<uintptr_t>(begin) / kPage * kPage;
  if (mincore(reinterpret_cast<void*>(first), pages * kPage, flags.data()) !=
      0) {
    return "mincore failed";
  }
  std::string text;
  for (const unsigned char flag : flags) text += (flag & 1) != 0 ? 'x' : '.';
  return text;
}

// Whether this kernel populates at all.
bool KernelPopulates() {
  FreshPages pages(1);
  PopulatePages(pages.data(), kPage);
  return Resident(pages.data(), 1) == "x";
}

TEST(PopulatePagesTest, WholePagesOnly) {
  if (!KernelPopulates()) GTEST_SKIP() << "the kernel does not populate";
  struct Case {
    size_t offset;
    size_t bytes;
    const char* resident;
  };
  for (const Case& c :
       {Case{kPage, 2 * kPage, ".xx.."},
        Case{kPage - 1, 2 * kPage + 2, ".xx.."},
        Case{kPage - 1, 2 * kPage, ".x..."},
        Case{kPage + 1, 2 * kPage, "..x.."},
        Case{kPage + 1, kPage - 1, "....."}, Case{kPage, 0, "....."}}) {
    SCOPED_TRACE(testing::Message() << c.offset << " " << c.bytes);
    FreshPages pages(5);
    PopulatePages(pages.data() + c.offset, c.bytes);
    EXPECT_EQ(Resident(pages.data(), 5), c.resident);
  }
}

// The last page tells whether the memory was in use before.
TEST(PopulatePagesTest, LooksAtTheLastPage) {
  if (!KernelPopulates()) GTEST_SKIP() << "the kernel does not populate";
  FreshPages used(4);
  used.data()[3 * kPage] = 'a';
  PopulatePages(used.data(), 4 * kPage);
  EXPECT_EQ(Resident(used.data(), 4), "...x");
  FreshPages partly_used(4);
  partly_used.data()[0] = 'a';
  PopulatePages(partly_used.data(), 4 * kPage);
  EXPECT_EQ(Resident(partly_used.data(), 4), "xxxx");
  EXPECT_EQ(partly_used.data()[0], 'a');
}

TEST(PopulatePagesTest, KeepsContentsAndErrno) {
  FreshPages pages(3);
  std::memset(pages.data(), 'a', 3 * kPage);
  errno = 7;
  PopulatePages(pages.data(), 3 * kPage);
  // Nothing there to populate: refused.
  PopulatePages(reinterpret_cast<void*>(kPage), kPage);
  EXPECT_EQ(errno, 7);
  EXPECT_EQ(std::string(pages.data(), 3 * kPage), std::string(3 * kPage, 'a'));
}

// A list that has just doubled owns twice the address space it uses, but not
// twice the memory.
TEST(HashListTest, RoomToGrowIsNotYetReal) {
  HashList list;
  constexpr size_t kCount = size_t{1} << 21;
  for (uint64_t i = 0; i <= kCount; ++i) ASSERT_TRUE(list.Append(i));
  const std::string rest =
      Resident(list.data() + kCount, kCount * sizeof(uint64_t) / kPage);
  const auto real = std::count(rest.begin(), rest.end(), 'x');
  EXPECT_GE(real, 1);
  // Half, because a kernel that hands out huge pages gives more than asked.
  EXPECT_LT(static_cast<size_t>(real), rest.size() / 2);
}

}  // namespace
}  // namespace sstfilter
