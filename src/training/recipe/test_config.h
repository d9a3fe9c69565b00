// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Short ways to parse a configuration, or to see why it was refused.
#pragma once

#include <string>

#include "revisit/error.h"
#include "revisit/lab/train.h"

namespace revisit::recipe {

inline const std::string kTown = "[[data.source]]\nkind = \"town\"\n";

inline TrainConfig parsed(const std::string& toml, const TrainOverrides& overrides = {}) {
  return parse_train_config(toml, "t.toml", "/photos/recipes", overrides);
}

struct Refusal {
  ErrorCode code = ErrorCode::kInternal;
  std::string sentence;
  std::string hint;
};

inline Refusal refusal(const std::string& toml, const TrainOverrides& overrides = {}) {
  try {
    parsed(toml, overrides);
  } catch (const Error& error) {
    return {error.code(), error.what(), error.hint()};
  }
  return {ErrorCode::kInternal, "accepted", ""};
}

}  // namespace revisit::recipe
