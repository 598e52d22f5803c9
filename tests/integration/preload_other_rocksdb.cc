// What the preload library must leave alone: a RocksDB of another version.
namespace rocksdb {

class FilterPolicy;

const FilterPolicy* NewBloomFilterPolicy(double /*bits_per_key*/,
                                         bool /*unused*/) {
  static char object;
  return reinterpret_cast<const FilterPolicy*>(&object);
}

}  // namespace rocksdb

extern "C" const char* policy_name() {
  // Through the dynamic linker, where the preload library sits in between.
  const auto* first = rocksdb::NewBloomFilterPolicy(10, false);
  const auto* second = rocksdb::NewBloomFilterPolicy(10, false);
  return first != nullptr && first == second ? "its own" : "another";
}
