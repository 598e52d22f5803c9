#include "sstfilter/key_transform.h"

#include <map>
#include <mutex>
#include <utility>

#include "integration/key_transform_name.h"

namespace sstfilter {

namespace {

void AsciiLower(const rocksdb::Slice& key, std::string* canonical) {
  canonical->assign(key.data(), key.size());
  for (char& c : *canonical) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}

void StripTrailingSpaces(const rocksdb::Slice& key, std::string* canonical) {
  size_t length = key.size();
  while (length > 0 && key[length - 1] == ' ') --length;
  canonical->assign(key.data(), length);
}

class Registry {
 public:
  static Registry& Instance() {
    // Never destroyed: option strings may be read while statics go down.
    static Registry* registry = new Registry;
    return *registry;
  }

  std::shared_ptr<const KeyTransform> Find(const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto it = transforms_.find(name);
    return it == transforms_.end() ? nullptr : it->second;
  }

  bool Add(std::shared_ptr<const KeyTransform> transform) {
    if (transform == nullptr || transform->function == nullptr ||
        !IsKeyTransformName(transform->name)) {
      return false;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    const auto inserted = transforms_.emplace(transform->name, transform);
    return inserted.second || inserted.first->second == transform;
  }

 private:
  Registry() {
    for (const auto& transform :
         {AsciiLowerTransform(), StripTrailingSpacesTransform()}) {
      transforms_.emplace(transform->name, transform);
    }
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const KeyTransform>> transforms_;
};

}  // namespace

bool IsKeyTransformName(const std::string& name) {
  if (name.empty()) return false;
  for (char c : name) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                         c == '.';
    if (!allowed) return false;
  }
  return true;
}

std::shared_ptr<const KeyTransform> AsciiLowerTransform() {
  static const auto transform = std::make_shared<const KeyTransform>(
      KeyTransform{"ascii_lower", AsciiLower});
  return transform;
}

std::shared_ptr<const KeyTransform> StripTrailingSpacesTransform() {
  static const auto transform = std::make_shared<const KeyTransform>(
      KeyTransform{"strip_trailing_spaces", StripTrailingSpaces});
  return transform;
}

std::shared_ptr<const KeyTransform> FindKeyTransform(const std::string& name) {
  return Registry::Instance().Find(name);
}

bool RegisterKeyTransform(std::shared_ptr<const KeyTransform> transform) {
  return Registry::Instance().Add(std::move(transform));
}

}  // namespace sstfilter
