#include "tools/text_table.h"

#include <gtest/gtest.h>

namespace sstfilter::tools {
namespace {

TEST(TextTableTest, ColumnsAreAsWideAsTheyNeedToBe) {
  TextTable table({"name", "two\nlines", "n"});
  table.AddRow({"a", "1", "22222"});
  table.AddRow({"longer", "333333", "4"});
  EXPECT_EQ(table.ToString(),
            "           two       \n"
            "name     lines      n\n"
            "a            1  22222\n"
            "longer  333333      4\n");
}

}  // namespace
}  // namespace sstfilter::tools
