#include <rocksdb/options.h>
#include <rocksdb/utilities/object_registry.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "integration/policy.h"
#include "integration/process.h"
#include "sstfilter/c.h"
#include "sstfilter/check.h"
#include "sstfilter/filter_policy.h"
#include "sstfilter/version.h"

// RocksDB's C API defines rocksdb_filterpolicy_t as a class derived from
// FilterPolicy alone, and only ever uses what FilterPolicy has: it puts the
// pointer into a shared_ptr, which destroys it through the virtual destructor.
// So a pointer to any FilterPolicy serves as one. rocksdb_options_t is a struct
// that starts with its Options. Both have been so in every version this library
// compiles for.

namespace {

using rocksdb::Status;
using sstfilter::FilterOptions;
using sstfilter::Policy;

rocksdb_filterpolicy_t* ToC(const rocksdb::FilterPolicy* policy) {
  return reinterpret_cast<rocksdb_filterpolicy_t*>(
      const_cast<rocksdb::FilterPolicy*>(policy));
}

const rocksdb::FilterPolicy& FromC(const rocksdb_filterpolicy_t* policy) {
  return *reinterpret_cast<const rocksdb::FilterPolicy*>(policy);
}

void SaveError(const char* message, char** errptr) {
  free(*errptr);
  *errptr = strdup(message);
}

// Runs `call`, which returns a Status; true if it is OK. No exception (there is
// only bad_alloc) leaves for C.
template <typename Call>
bool Succeeds(char** errptr, Call call) {
  try {
    const Status status = call();
    if (!status.ok()) SaveError(status.ToString().c_str(), errptr);
    return status.ok();
  } catch (const std::exception& error) {
    SaveError(error.what(), errptr);
    return false;
  }
}

const char* OrEmpty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

rocksdb_filterpolicy_t* sstfilter_filterpolicy_create(const char* options,
                                                      char** errptr) {
  const Policy* policy = nullptr;
  Succeeds(errptr, [&] {
    Status status = sstfilter::CheckProcess();
    FilterOptions parsed;
    if (status.ok()) {
      status = sstfilter::ParseFilterOptions(OrEmpty(options), &parsed);
    }
    if (status.ok()) {
      sstfilter::RegisterByDefault();
      policy = new Policy(parsed);
    }
    return status;
  });
  return ToC(policy);
}

void sstfilter_filterpolicy_set_options(rocksdb_filterpolicy_t* policy,
                                        const char* options, char** errptr) {
  Succeeds(errptr, [&] {
    FilterOptions parsed;
    const Status status =
        sstfilter::ParseFilterOptions(OrEmpty(options), &parsed);
    return status.ok() ? sstfilter::SetFilterOptions(FromC(policy), parsed)
                       : status;
  });
}

char* sstfilter_filterpolicy_get_options(const rocksdb_filterpolicy_t* policy,
                                         char** errptr) {
  char* text = nullptr;
  Succeeds(errptr, [&] {
    FilterOptions options;
    const Status status = sstfilter::GetFilterOptions(FromC(policy), &options);
    if (status.ok()) {
      text = strdup(sstfilter::FilterOptionsToString(options).c_str());
    }
    return status;
  });
  return text;
}

void sstfilter_register(void) {
  char* error = nullptr;
  Succeeds(&error, [] {
    sstfilter::RegisterByDefault();
    return Status::OK();
  });
  free(error);
}

void sstfilter_check_options(const rocksdb_options_t* options,
                             const char* expected, char** errptr) {
  Succeeds(errptr, [&] {
    sstfilter::FilterExpectation expectation;
    if (expected != nullptr) {
      FilterOptions parsed;
      const Status status = sstfilter::ParseFilterOptions(expected, &parsed);
      if (!status.ok()) return status;
      expectation.options = parsed;
    }
    return sstfilter::CheckFilterPolicy(
        *reinterpret_cast<const rocksdb::Options*>(options), expectation);
  });
}

const char* sstfilter_version(void) { return SSTFILTER_VERSION; }
