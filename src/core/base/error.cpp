// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names and exit codes of errors.
#include "revisit/error.h"

namespace revisit {

const char* name_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kUsage: return "usage";
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kBadImage: return "bad_image";
    case ErrorCode::kBadModel: return "bad_model";
    case ErrorCode::kBadFile: return "bad_file";
    case ErrorCode::kLimit: return "limit";
    case ErrorCode::kMismatch: return "mismatch";
    case ErrorCode::kNoSpace: return "no_space";
    case ErrorCode::kNoMemory: return "no_memory";
    case ErrorCode::kIo: return "io";
    case ErrorCode::kInterrupted: return "interrupted";
    case ErrorCode::kFailed: return "failed";
    case ErrorCode::kInternal: return "internal";
  }
  return "internal";
}

int exit_code_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kUsage: return 2;
    case ErrorCode::kNotFound:
    case ErrorCode::kBadImage:
    case ErrorCode::kBadModel:
    case ErrorCode::kBadFile:
    case ErrorCode::kLimit:
    case ErrorCode::kMismatch: return 3;
    case ErrorCode::kNoSpace:
    case ErrorCode::kNoMemory: return 5;
    case ErrorCode::kInterrupted: return 130;
    case ErrorCode::kIo:
    case ErrorCode::kFailed:
    case ErrorCode::kInternal: return 1;
  }
  return 1;
}

}  // namespace revisit
