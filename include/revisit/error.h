// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The one exception of the library, its codes, and the record of an input that could not be used.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace revisit {

enum class ErrorCode {
  kUsage,        ///< invalid request: rho of 2, an unknown name
  kNotFound,     ///< a file or folder that does not exist or cannot be opened
  kBadImage,     ///< not a picture, truncated, or of an unsupported kind
  kBadModel,     ///< a model or checkpoint that breaks its format, is incomplete or holds NaN
  kBadFile,      ///< any other input file that breaks its format (npy, csv, config)
  kLimit,        ///< an input beyond a stated limit
  kMismatch,     ///< two things that do not belong together (index and model)
  kNoSpace,      ///< disk full
  kNoMemory,     ///< allocation failed
  kIo,           ///< reading or writing failed for another reason
  kInterrupted,  ///< stopped by the user, state saved
  kFailed,       ///< not possible with these inputs: no threshold is precise enough
  kInternal,     ///< a bug in revisit
};

/// The word used in JSON output: "usage", "not_found", "bad_image", ...
const char* name_of(ErrorCode code) noexcept;

/// The program's exit code for an error: 1 failed, 2 usage, 3 bad input file, 5 no space or memory, 130 interrupted.
int exit_code_of(ErrorCode code) noexcept;

/// what() is one sentence with the file, the value and the limit; hint() says what to do next (may be empty).
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& sentence, std::string hint = {})
      : std::runtime_error(sentence), code_(code), hint_(std::move(hint)) {}

  ErrorCode code() const noexcept { return code_; }
  const std::string& hint() const noexcept { return hint_; }

 private:
  ErrorCode code_;
  std::string hint_;
};

/// In batches a failed input is data: the run continues and nothing is skipped silently.
struct Skipped {
  std::string path;
  ErrorCode code;
  std::string reason;
};

}  // namespace revisit
