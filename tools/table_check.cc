#include "tools/table_check.h"

#include <fmt/format.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "integration/counted.h"
#include "integration/stored_filters.h"
#include "tools/filter_facts.h"
#include "tools/interrupt.h"
#include "tools/random.h"
#include "tools/table_keys.h"

namespace sstfilter::tools {

namespace {

using rocksdb::Slice;
using rocksdb::Status;

constexpr uint64_t kKeysBetweenLooks = 1024;
constexpr char kWholeKeys[] = "rocksdb.block.based.table.whole.key.filtering";
constexpr char kPrefixes[] = "rocksdb.block.based.table.prefix.filtering";

bool FlagOf(const rocksdb::TableProperties& properties, const char* name,
            bool otherwise) {
  const auto& collected = properties.user_collected_properties;
  const auto found = collected.find(name);
  return found == collected.end() ? otherwise : found->second == "1";
}

class TableCheck {
 public:
  TableCheck(const VerifyOptions& options, VerifyTally* tally,
             TableVerdict* verdict)
      : options_(options), tally_(*tally), verdict_(*verdict) {}

  void Run() {
    const Status status =
        StoredTable::Open(TableReadOptions(), verdict_.table.path, &table_);
    if (!status.ok()) {
      Fail(status.ToString());
    } else {
      ChooseQuestions();
      CheckTrailers();
      ReadKeys();
      if (verdict_.state != TableVerdict::State::kPartial) AskAbsentKeys();
    }
    AccountForRest();
    Conclude();
  }

 private:
  void Fail(std::string why) { verdict_.failures.push_back(std::move(why)); }
  void Note(std::string what) { verdict_.notes.push_back(std::move(what)); }

  // Which filters can be asked, and for what.
  void ChooseQuestions() {
    const FilterFacts facts = Combine(FactsOf(*table_));
    verdict_.filters = table_->filters().size();
    if (facts.has_filter()) verdict_.filter = facts.name;
    SayWhatIsLacking(facts);
    if (!facts.has_filter() && verdict_.failures.empty()) return;
    for (const StoredFilter& filter : table_->filters()) {
      verdict_.key_transform = filter.key_transform;
      FilterQuestion question = MakeFilterQuestion(filter);
      if (question == nullptr) {
        if (filter.format == FilterFormat::kUnusable) {
          Fail(fmt::format("filter block cannot be used: {}", filter.name));
        } else {
          can_ask_ = false;
          Note(
              fmt::format("not checked: written under key transform {}, which "
                          "is not known here",
                          filter.key_transform));
        }
        questions_.clear();
        return;
      }
      questions_.push_back(std::move(question));
    }
    if (questions_.empty()) return;
    verdict_.expected_rate = facts.expected_rate;
    const rocksdb::TableProperties& properties = table_->properties();
    whole_keys_ = FlagOf(properties, kWholeKeys, true);
    if (!FlagOf(properties, kPrefixes, false)) return;
    rocksdb::ConfigOptions config;
    std::shared_ptr<const rocksdb::SliceTransform> extractor;
    rocksdb::SliceTransform::CreateFromString(
        config, properties.prefix_extractor_name, &extractor)
        .PermitUncheckedError();
    extractor_ = std::move(extractor);
    if (extractor_ == nullptr) {
      Note(
          fmt::format("prefixes were not asked for: prefix extractor {} is "
                      "not known here",
                      properties.prefix_extractor_name));
    }
  }

  void SayWhatIsLacking(const FilterFacts& facts) {
    const rocksdb::TableProperties& properties = table_->properties();
    switch (table_->lack()) {
      case StoredTable::Lack::kNone:
        if (facts.given_up > 0) {
          Note(WhyGivenUp(properties, facts) +
               "; partitions after such a one were not asked for their keys");
        }
        break;
      case StoredTable::Lack::kGivenUp:
        Note(WhyGivenUp(properties, facts));
        break;
      case StoredTable::Lack::kNoPolicy:
        Note("no filter: written without a filter policy");
        break;
      case StoredTable::Lack::kSkipped:
        Note(fmt::format("no filter: policy {} made none for this table",
                         properties.filter_policy_name));
        break;
      case StoredTable::Lack::kOtherPolicy:
        can_ask_ = false;
        Note(
            fmt::format("not checked: filter of policy {}, which is not known "
                        "here",
                        properties.filter_policy_name));
        break;
      case StoredTable::Lack::kUnreadable:
        Fail(fmt::format("filter block of {} is damaged",
                         Counted(properties.filter_size, "byte")));
        break;
    }
  }

  void CheckTrailers() {
    const rocksdb::TableProperties& properties = table_->properties();
    if (table_->filters().empty()) return;
    bool is_ours = false;
    bool is_whole = true;
    uint64_t keys = 0;
    uint64_t bytes = 0;
    for (const StoredFilter& filter : table_->filters()) {
      if (filter.format == FilterFormat::kUnusable) return;
      is_ours = is_ours || filter.format == FilterFormat::kSstfilter;
      is_whole = is_whole && filter.format != FilterFormat::kGivenUp;
      keys += filter.trailer.keys;
      bytes += filter.block.size();
    }
    // The property also counts the index of partitions.
    if (bytes > properties.filter_size ||
        (table_->filters().size() == 1 && bytes != properties.filter_size &&
         properties.index_partitions == 0)) {
      Fail(fmt::format("filters of {}, but the properties say {}",
                       Counted(bytes, "byte"), properties.filter_size));
    }
    if (is_ours && (keys > properties.num_filter_entries ||
                    (is_whole && keys != properties.num_filter_entries))) {
      Fail(fmt::format("trailer says {}, but the properties say {}",
                       Counted(keys, "key"), properties.num_filter_entries));
    }
  }

  void ReadKeys() {
    TableKeys keys(table_.get());
    const double bytes_per_key =
        static_cast<double>(verdict_.table.bytes) /
        std::max(1.0, static_cast<double>(table_->properties().num_entries));
    uint64_t unreported = 0;
    for (; keys.Valid(); keys.Next()) {
      Ask(keys.key());
      ++verdict_.keys;
      if (++unreported < kKeysBetweenLooks) continue;
      Report(unreported, bytes_per_key);
      unreported = 0;
      if (!CheckInterrupt().ok()) {
        verdict_.state = TableVerdict::State::kPartial;
        return;
      }
    }
    Report(unreported, bytes_per_key);
    if (!keys.status().ok()) Fail(keys.status().ToString());
    if (verdict_.keys > table_->properties().num_entries) {
      Fail(fmt::format("{}, but the properties say {}",
                       Counted(verdict_.keys, "key"),
                       table_->properties().num_entries));
    }
    if (!keys.has_deleted_keys() && table_->properties().num_deletions > 0) {
      Note(
          "keys that are only deleted here were not asked for: the table has "
          "merge operands");
    }
  }

  void Report(uint64_t keys, double bytes_per_key) {
    tally_.keys += keys;
    const auto bytes = std::min(
        static_cast<uint64_t>(static_cast<double>(keys) * bytes_per_key),
        verdict_.table.bytes - reported_bytes_);
    reported_bytes_ += bytes;
    tally_.bytes += bytes;
  }

  void AccountForRest() {
    tally_.bytes += verdict_.table.bytes - reported_bytes_;
  }

  // A key is in the partition at hand or in a later one; which one is for the
  // partitions to say. A partition that lost the key does not move us on, so
  // that one loss is counted once.
  void Ask(const Slice& key) {
    if (questions_.empty()) return;
    const bool has_prefix = extractor_ != nullptr && extractor_->InDomain(key);
    if (!whole_keys_ && !has_prefix) return;
    const Slice prefix = has_prefix ? extractor_->Transform(key) : Slice();
    if (has_prefix) ++verdict_.prefixes;
    for (size_t i = partition_; i < questions_.size(); ++i) {
      if ((!whole_keys_ || questions_[i](key)) &&
          (!has_prefix || questions_[i](prefix))) {
        partition_ = i;
        return;
      }
    }
    if (verdict_.false_negatives == 0) {
      Fail(fmt::format("key 0x{} is in the table, but its filter says absent",
                       key.ToString(true)));
    }
    ++verdict_.false_negatives;
  }

  void AskAbsentKeys() {
    if (questions_.empty()) return;
    Random random(options_.seed);
    for (uint64_t i = 0; i < options_.absent; ++i) {
      // 128 random bits that no table holds.
      const uint64_t words[2] = {random.Next(), random.Next()};
      char key[sizeof(words)];
      std::memcpy(key, words, sizeof(words));
      if (i % kKeysBetweenLooks == 0 && !CheckInterrupt().ok()) {
        verdict_.state = TableVerdict::State::kPartial;
        return;
      }
      const FilterQuestion& question = questions_[i % questions_.size()];
      ++verdict_.absent_asked;
      if (question(Slice(key, sizeof(key)))) ++verdict_.absent_passed;
    }
  }

  void Conclude() {
    using State = TableVerdict::State;
    if (!verdict_.failures.empty()) {
      verdict_.state = State::kFailed;
    } else if (verdict_.state != State::kPartial) {
      verdict_.state = !can_ask_            ? State::kNotChecked
                       : questions_.empty() ? State::kUnfiltered
                                            : State::kSound;
    }
  }

  const VerifyOptions& options_;
  VerifyTally& tally_;
  TableVerdict& verdict_;
  std::unique_ptr<StoredTable> table_;
  std::vector<FilterQuestion> questions_;
  bool can_ask_ = true;
  bool whole_keys_ = true;
  std::shared_ptr<const rocksdb::SliceTransform> extractor_;
  size_t partition_ = 0;
  uint64_t reported_bytes_ = 0;
};

}  // namespace

void CheckTable(const VerifyOptions& options, VerifyTally* tally,
                TableVerdict* verdict) {
  TableCheck(options, tally, verdict).Run();
}

}  // namespace sstfilter::tools
