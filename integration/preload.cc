// LD_PRELOAD=libsstfilter_preload.so: RocksDB programs get sstfilter where they
// ask for a Bloom or Ribbon filter, without being rebuilt.
//
// Depends on the C library alone; see preload.h.

#include "integration/preload.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define SSTFILTER_EXPORT __attribute__((visibility("default")))

struct rocksdb_filterpolicy_t;

namespace rocksdb {
class FilterPolicy;
SSTFILTER_EXPORT const FilterPolicy* NewBloomFilterPolicy(double bits_per_key,
                                                          bool unused);
SSTFILTER_EXPORT const FilterPolicy* NewRibbonFilterPolicy(
    double bits_per_key, int bloom_before_level);
}  // namespace rocksdb

namespace {

using sstfilter::PreloadCaller;

constexpr char kNewBloom[] = "_ZN7rocksdb20NewBloomFilterPolicyEdb";
constexpr char kNewRibbon[] = "_ZN7rocksdb21NewRibbonFilterPolicyEdi";

constexpr char kPolicyLibrary[] = "libsstfilter_preload_policy.so";

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
bool said = false;
// Where this library is, as an absolute path: programs change directory.
char directory[PATH_MAX];
sstfilter::PreloadNewPolicy new_policy = nullptr;

// One line for the whole life of the process.
void Say(const char* reason) {
  if (said) return;
  said = true;
  fprintf(stderr, "sstfilter: %s; RocksDB's built-in filter is used\n", reason);
}

// Start of the object that holds `address`; null if none does.
const void* ObjectOf(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

// RocksDB's own function of that name. A RocksDB that was loaded privately (as
// a part of a Python or Java module) is not among the objects after this one,
// but is reached from the object that holds the caller.
void* Real(const char* name, const void* caller) {
  Dl_info info;
  if (dladdr(caller, &info) != 0 && info.dli_fname != nullptr) {
    void* object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (object != nullptr) {
      void* found = dlsym(object, name);
      dlclose(object);
      if (found != nullptr && ObjectOf(found) != ObjectOf(&mutex)) return found;
    }
  }
  return dlsym(RTLD_NEXT, name);
}

// Loads the policy library if the RocksDB that holds `real` is the one it was
// made for. With the mutex held.
bool Load(const void* real) {
  if (new_policy != nullptr) return true;
  char message[PATH_MAX + 512];
  Dl_info info;
  void* own = dlopen(SSTFILTER_ROCKSDB_SONAME, RTLD_LAZY | RTLD_NOLOAD);
  const bool same = own != nullptr && dlsym(own, kNewBloom) == real;
  if (own != nullptr) dlclose(own);
  if (!same) {
    const bool known = real != nullptr && dladdr(real, &info) != 0;
    snprintf(message, sizeof(message),
             "made for " SSTFILTER_ROCKSDB_SONAME ", but RocksDB is %s",
             known ? info.dli_fname : "unknown");
    Say(message);
    return false;
  }
  snprintf(message, sizeof(message), "%s/%s", directory, kPolicyLibrary);
  void* library = dlopen(message, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    Say(dlerror());
    return false;
  }
  const auto reg = reinterpret_cast<sstfilter::PreloadRegister>(
      dlsym(library, sstfilter::kPreloadRegister));
  const auto make = reinterpret_cast<sstfilter::PreloadNewPolicy>(
      dlsym(library, sstfilter::kPreloadNewPolicy));
  if (reg == nullptr || make == nullptr) {
    Say(dlerror());
    return false;
  }
  if (!reg(message, sizeof(message))) Say(message);
  new_policy = make;
  return true;
}

// Null: use the built-in one.
const void* NewPolicy(PreloadCaller caller, double bits_per_key,
                      int bloom_before_level, const void* return_address) {
  char message[512] = "";
  pthread_mutex_lock(&mutex);
  const bool loaded = Load(Real(kNewBloom, return_address));
  pthread_mutex_unlock(&mutex);
  if (!loaded) return nullptr;
  const void* policy = new_policy(caller, bits_per_key, bloom_before_level,
                                  message, sizeof(message));
  if (policy == nullptr && message[0] != '\0') {
    pthread_mutex_lock(&mutex);
    Say(message);
    pthread_mutex_unlock(&mutex);
  }
  return policy;
}

// The function RocksDB has under that name, as the type of `ours`.
template <typename Result, typename... Arguments>
Result* CallReal(const char* name, const void* caller,
                 Result* (* /*ours*/)(Arguments...), Arguments... arguments) {
  const auto real =
      reinterpret_cast<Result* (*)(Arguments...)>(Real(name, caller));
  // Not found: no filter, which is a valid answer.
  return real == nullptr ? nullptr : real(arguments...);
}

__attribute__((constructor)) void AtLoad() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&AtLoad), &info) == 0 ||
      realpath(info.dli_fname, directory) == nullptr) {
    return;
  }
  *strrchr(directory, '/') = '\0';
  // Option strings name the policy in programs that never ask for a built-in
  // one.
  const void* real = dlsym(RTLD_NEXT, kNewBloom);
  if (real == nullptr) return;
  pthread_mutex_lock(&mutex);
  Load(real);
  pthread_mutex_unlock(&mutex);
}

}  // namespace

namespace rocksdb {

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool unused) {
  const void* caller = __builtin_return_address(0);
  const void* policy =
      NewPolicy(PreloadCaller::kBloom, bits_per_key, 0, caller);
  if (policy != nullptr) return static_cast<const FilterPolicy*>(policy);
  return CallReal(kNewBloom, caller, &NewBloomFilterPolicy, bits_per_key,
                  unused);
}

const FilterPolicy* NewRibbonFilterPolicy(double bits_per_key,
                                          int bloom_before_level) {
  const void* caller = __builtin_return_address(0);
  const void* policy = NewPolicy(PreloadCaller::kRibbon, bits_per_key,
                                 bloom_before_level, caller);
  if (policy != nullptr) return static_cast<const FilterPolicy*>(policy);
  return CallReal(kNewRibbon, caller, &NewRibbonFilterPolicy, bits_per_key,
                  bloom_before_level);
}

}  // namespace rocksdb

// A pointer to a FilterPolicy serves as a rocksdb_filterpolicy_t (c_api.cc).
extern "C" {

SSTFILTER_EXPORT rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom(
    double bits_per_key) {
  const void* caller = __builtin_return_address(0);
  const void* policy =
      NewPolicy(PreloadCaller::kBloom, bits_per_key, 0, caller);
  if (policy != nullptr) {
    return static_cast<rocksdb_filterpolicy_t*>(const_cast<void*>(policy));
  }
  return CallReal("rocksdb_filterpolicy_create_bloom", caller,
                  &rocksdb_filterpolicy_create_bloom, bits_per_key);
}

SSTFILTER_EXPORT rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_bloom_full(
    double bits_per_key) {
  const void* caller = __builtin_return_address(0);
  const void* policy =
      NewPolicy(PreloadCaller::kBloom, bits_per_key, 0, caller);
  if (policy != nullptr) {
    return static_cast<rocksdb_filterpolicy_t*>(const_cast<void*>(policy));
  }
  return CallReal("rocksdb_filterpolicy_create_bloom_full", caller,
                  &rocksdb_filterpolicy_create_bloom_full, bits_per_key);
}

SSTFILTER_EXPORT rocksdb_filterpolicy_t* rocksdb_filterpolicy_create_ribbon(
    double bits_per_key) {
  const void* caller = __builtin_return_address(0);
  const void* policy =
      NewPolicy(PreloadCaller::kRibbon, bits_per_key, -1, caller);
  if (policy != nullptr) {
    return static_cast<rocksdb_filterpolicy_t*>(const_cast<void*>(policy));
  }
  return CallReal("rocksdb_filterpolicy_create_ribbon", caller,
                  &rocksdb_filterpolicy_create_ribbon, bits_per_key);
}

SSTFILTER_EXPORT rocksdb_filterpolicy_t*
rocksdb_filterpolicy_create_ribbon_hybrid(double bits_per_key,
                                          int bloom_before_level) {
  const void* caller = __builtin_return_address(0);
  const void* policy = NewPolicy(PreloadCaller::kRibbon, bits_per_key,
                                 bloom_before_level, caller);
  if (policy != nullptr) {
    return static_cast<rocksdb_filterpolicy_t*>(const_cast<void*>(policy));
  }
  return CallReal("rocksdb_filterpolicy_create_ribbon_hybrid", caller,
                  &rocksdb_filterpolicy_create_ribbon_hybrid, bits_per_key,
                  bloom_before_level);
}

}  // extern "C"
