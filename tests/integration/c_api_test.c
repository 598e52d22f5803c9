/* The C API as a C program uses it, with RocksDB's own C API around it. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sstfilter/c.h"
#include "sstfilter/version.h"

static void Fail(int line, const char* what, const char* detail) {
  fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, line, what,
          detail == NULL ? "" : detail);
  exit(1);
}

#define CHECK(condition)                                \
  do {                                                  \
    if (!(condition)) Fail(__LINE__, #condition, NULL); \
  } while (0)

#define CHECK_NO_ERROR(err)                               \
  do {                                                    \
    if ((err) != NULL) Fail(__LINE__, "unexpected", err); \
  } while (0)

/* `*err` is set and says `part`; clears it. */
static void ExpectError(int line, char** err, const char* part) {
  if (*err == NULL) Fail(line, "no error, expected", part);
  if (strstr(*err, part) == NULL) Fail(line, part, *err);
  rocksdb_free(*err);
  *err = NULL;
}

enum { kKeys = 5000 };

static int Key(char* buffer, const char* prefix, int i) {
  return sprintf(buffer, "%s%08d", prefix, i);
}

/* The value of a ticker in RocksDB's statistics text. */
static long Ticker(rocksdb_options_t* options, const char* name) {
  char* text = rocksdb_options_statistics_get_string(options);
  const char* at = strstr(text, name);
  long value = -1;
  if (at != NULL) sscanf(at + strlen(name), " COUNT : %ld", &value);
  rocksdb_free(text);
  return value;
}

static void TestCreateRefusesBadOptions(void) {
  char* err = NULL;
  CHECK(sstfilter_filterpolicy_create("bits_per_key=0.3", &err) == NULL);
  ExpectError(__LINE__, &err, "bits_per_key=0.3");
  CHECK(sstfilter_filterpolicy_create("colour=red", &err) == NULL);
  CHECK(err != NULL);
  /* An error that is still there is freed and replaced. */
  CHECK(sstfilter_filterpolicy_create("kind=blom", &err) == NULL);
  ExpectError(__LINE__, &err, "kind=blom");
}

static void TestOptionsRoundTrip(void) {
  char* err = NULL;
  rocksdb_filterpolicy_t* policy = sstfilter_filterpolicy_create(NULL, &err);
  CHECK_NO_ERROR(err);
  char* text = sstfilter_filterpolicy_get_options(policy, &err);
  CHECK_NO_ERROR(err);
  CHECK(strcmp(text, "bits_per_key=10;kind=bloom") == 0);
  rocksdb_free(text);

  sstfilter_filterpolicy_set_options(policy, "sstfilter:14", &err);
  CHECK_NO_ERROR(err);
  sstfilter_filterpolicy_set_options(policy, "bits_per_key=nan", &err);
  ExpectError(__LINE__, &err, "bits_per_key=nan");
  text = sstfilter_filterpolicy_get_options(policy, &err);
  CHECK(strcmp(text, "bits_per_key=14;kind=bloom") == 0);
  rocksdb_free(text);
  rocksdb_filterpolicy_destroy(policy);

  rocksdb_filterpolicy_t* builtin = rocksdb_filterpolicy_create_bloom_full(10);
  CHECK(sstfilter_filterpolicy_get_options(builtin, &err) == NULL);
  ExpectError(__LINE__, &err, "not an sstfilter policy");
  sstfilter_filterpolicy_set_options(builtin, "12", &err);
  ExpectError(__LINE__, &err, "not an sstfilter policy");
  rocksdb_filterpolicy_destroy(builtin);
}

static void TestDatabase(const char* path) {
  char* err = NULL;
  rocksdb_options_t* options = rocksdb_options_create();
  sstfilter_check_options(options, NULL, &err);
  ExpectError(__LINE__, &err, "no filter policy is set");

  rocksdb_filterpolicy_t* policy =
      sstfilter_filterpolicy_create("bits_per_key=12;kind=parity", &err);
  CHECK_NO_ERROR(err);
  rocksdb_block_based_table_options_t* table_options =
      rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(table_options, policy);
  rocksdb_options_set_block_based_table_factory(options, table_options);
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_enable_statistics(options);

  sstfilter_check_options(options, NULL, &err);
  CHECK_NO_ERROR(err);
  sstfilter_check_options(options, "bits_per_key=12;kind=parity", &err);
  CHECK_NO_ERROR(err);
  sstfilter_check_options(options, "bits_per_key=10", &err);
  ExpectError(__LINE__, &err, "other options");

  rocksdb_t* db = rocksdb_open(options, path, &err);
  CHECK_NO_ERROR(err);
  rocksdb_writeoptions_t* write_options = rocksdb_writeoptions_create();
  char key[32];
  for (int i = 0; i < kKeys; ++i) {
    const int length = Key(key, "key", i);
    rocksdb_put(db, write_options, key, (size_t)length, "value", 5, &err);
    CHECK_NO_ERROR(err);
  }
  rocksdb_flushoptions_t* flush_options = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush_options, &err);
  CHECK_NO_ERROR(err);

  rocksdb_readoptions_t* read_options = rocksdb_readoptions_create();
  size_t value_length;
  for (int i = 0; i < kKeys; ++i) {
    int length = Key(key, "key", i);
    char* value =
        rocksdb_get(db, read_options, key, (size_t)length, &value_length, &err);
    CHECK_NO_ERROR(err);
    CHECK(value != NULL && value_length == 5);
    rocksdb_free(value);
    /* Between two keys of the table, so that only the filter can rule it out.
     */
    length = Key(key, "key", i);
    key[length] = '+';
    CHECK(rocksdb_get(db, read_options, key, (size_t)length + 1, &value_length,
                      &err) == NULL);
    CHECK_NO_ERROR(err);
  }
  CHECK(Ticker(options, "rocksdb.bloom.filter.useful") > kKeys * 98 / 100);

  /* The policy lives on in the open database. */
  sstfilter_filterpolicy_set_options(policy, "bits_per_key=16", &err);
  CHECK_NO_ERROR(err);

  rocksdb_readoptions_destroy(read_options);
  rocksdb_flushoptions_destroy(flush_options);
  rocksdb_writeoptions_destroy(write_options);
  rocksdb_close(db);
  rocksdb_destroy_db(options, path, &err);
  CHECK_NO_ERROR(err);
  rocksdb_block_based_options_destroy(table_options);
  rocksdb_options_destroy(options);
}

static void TestOptionStrings(void) {
  char* err = NULL;
  sstfilter_register();
  rocksdb_options_t* base = rocksdb_options_create();
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_get_options_from_string(
      base, "block_based_table_factory={filter_policy=sstfilter:12}", options,
      &err);
  CHECK_NO_ERROR(err);
  sstfilter_check_options(options, "12", &err);
  CHECK_NO_ERROR(err);
  rocksdb_options_destroy(options);
  rocksdb_options_destroy(base);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  CHECK(strcmp(sstfilter_version(), SSTFILTER_VERSION) == 0);
  TestCreateRefusesBadOptions();
  TestOptionsRoundTrip();
  TestOptionStrings();
  TestDatabase(argv[1]);
  puts("ok");
  return 0;
}
