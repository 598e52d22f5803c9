// Keys that are there, keys that are not, and what must come of asking for
// them.
#pragma once

#include <string>
#include <vector>

#include "database.h"
#include "policies.h"

namespace sstfilter::dbtest {

// "key00000042": sorted like the numbers.
std::string Key(uint64_t number);
// The value that tests store with a key.
std::string ValueOf(const std::string& key);

// Even numbers from 2 * first; Absent has the odd ones, so each lies between
// two present keys.
std::vector<std::string> PresentKeys(uint64_t count, uint64_t first = 0);
std::vector<std::string> AbsentKeys(uint64_t count, uint64_t first = 0);

void PutAll(Database& database, const std::vector<std::string>& keys);

// By Get and by MultiGet.
void ExpectAllFound(const Database& database,
                    const std::vector<std::string>& keys,
                    const rocksdb::ReadOptions& read = {});

// Expects "not found" for every key, by Get or MultiGet; says what that took.
Activity GetAbsent(const Database& database,
                   const std::vector<std::string>& keys);
Activity MultiGetAbsent(const Database& database,
                        const std::vector<std::string>& keys, size_t batch);

// Of `checks` filter checks for absent keys, `skipped` ended there: as many as
// the policy's rate says, all of them with the exact filter, none with
// "always".
void ExpectSkipped(const PolicyUnderTest& policy, uint64_t skipped,
                   uint64_t checks);

// The three above. Expects each absent key to meet `tables` filters, and no
// more reads of data than what passed them can explain: disk reads without a
// block cache, blocks not found in the cache with one.
void ExpectUseful(const PolicyUnderTest& policy, const Database& database,
                  const std::vector<std::string>& present,
                  const std::vector<std::string>& absent, uint64_t tables = 1);

// All keys of an iterator, forward from `start` (the beginning if empty).
std::vector<std::string> Scan(rocksdb::Iterator* iterator,
                              const std::string& start = "");

}  // namespace sstfilter::dbtest
