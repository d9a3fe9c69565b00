// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The scopes of a thread, innermost first.
#include "core/base/stop_scope.h"

#include <utility>

#include "core/base/fail.h"

namespace revisit {
namespace {

thread_local const StopScope* innermost = nullptr;

}  // namespace

StopScope::StopScope(std::function<bool()> wanted, std::string sentence)
    : wanted_(std::move(wanted)), sentence_(std::move(sentence)), outer_(std::exchange(innermost, this)) {}

StopScope::~StopScope() { innermost = outer_; }

void StopScope::end_work() const { fail(ErrorCode::kInterrupted, "{}", sentence_); }

const StopScope* stop_wanted() {
  for (const StopScope* scope = innermost; scope != nullptr; scope = scope->outer_) {
    if (scope->wanted_ && scope->wanted_()) return scope;
  }
  return nullptr;
}

void check_stop() {
  if (const StopScope* scope = stop_wanted()) scope->end_work();
}

}  // namespace revisit
