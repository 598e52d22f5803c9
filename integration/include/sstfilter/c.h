/* sstfilter for programs that use RocksDB's C API, and for the languages built
 * on it:
 *
 *   char* err = NULL;
 *   rocksdb_filterpolicy_t* policy =
 *       sstfilter_filterpolicy_create("bits_per_key=10;kind=parity", &err);
 *   rocksdb_block_based_options_set_filter_policy(table_options, policy);
 *
 * Conventions are RocksDB's: `*errptr` is NULL or a malloc'ed string on entry
 * (the latter is freed) and is set to a malloc'ed message when a call fails;
 * free it and every returned char* with rocksdb_free. Option strings are those
 * of sstfilter::ParseFilterOptions; NULL and "" mean the defaults.
 */
#ifndef SSTFILTER_C_H_
#define SSTFILTER_C_H_

#include <rocksdb/c.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A policy for rocksdb_block_based_options_set_filter_policy, which takes
 * ownership: destroy it (rocksdb_filterpolicy_destroy) only if you never pass
 * it on. NULL, with `*errptr` set, when the options are wrong or the RocksDB
 * loaded at run time is of another version than the one compiled against.
 *
 * A policy may be handed to one rocksdb_block_based_table_options_t only. */
rocksdb_filterpolicy_t* sstfilter_filterpolicy_create(const char* options,
                                                      char** errptr);

/* Changes what tables built from now on get. The string states all options,
 * what it does not name goes back to the default. Thread-safe; the policy must
 * still be alive, in the options or in an open database. */
void sstfilter_filterpolicy_set_options(rocksdb_filterpolicy_t* policy,
                                        const char* options, char** errptr);

/* The present options as an option string, or NULL with `*errptr` set when
 * `policy` is not from sstfilter. */
char* sstfilter_filterpolicy_get_options(const rocksdb_filterpolicy_t* policy,
                                         char** errptr);

/* Makes "filter_policy=sstfilter:10" known to option strings and to
 * rocksdb_load_latest_options. sstfilter_filterpolicy_create does so too. */
void sstfilter_register(void);

/* sstfilter::CheckFilterPolicy: sets `*errptr` unless tables written with
 * `options` get an sstfilter filter that cannot lose keys. `expected` is an
 * option string that the policy's options must equal, or NULL for any. */
void sstfilter_check_options(const rocksdb_options_t* options,
                             const char* expected, char** errptr);

/* "major.minor.patch" of sstfilter; not to be freed. */
const char* sstfilter_version(void);

#ifdef __cplusplus
}
#endif

#endif /* SSTFILTER_C_H_ */
