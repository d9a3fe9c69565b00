// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// SQLite behind database.h.
#include "retrieval/files/database.h"

#include <sqlite3.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "retrieval/files/disk.h"

namespace revisit::retrieval {
namespace {

constexpr int kMaxValueBytes = 1'000'000;
constexpr int kBusyMilliseconds = 10'000;
constexpr int kStepsBetweenQuestions = 10'000;  // of SQLite's virtual machine between two stop checks

ErrorCode code_of(int result, int system_error) {
  switch (result & 0xff) {
    case SQLITE_FULL: return ErrorCode::kNoSpace;
    case SQLITE_NOMEM: return ErrorCode::kNoMemory;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_TOOBIG:
    case SQLITE_SCHEMA:
    case SQLITE_ERROR:  // our SQL does not fit the file's schema
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT: return ErrorCode::kBadFile;
    case SQLITE_CANTOPEN:
      if (system_error == ENOENT || system_error == EACCES) return ErrorCode::kNotFound;
      break;
    default: break;
  }
  const bool full = system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG;
  return full ? ErrorCode::kNoSpace : ErrorCode::kIo;
}

// errno of the last failure. SQLite keeps it per file, and the log is a file of its own.
int system_error_of(sqlite3* handle) {
  int error = 0;
  sqlite3_file* log = nullptr;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log != nullptr && log->pMethods != nullptr) log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
  if (error == 0) sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
  return error != 0 ? error : sqlite3_system_errno(handle);
}

std::string uri_of(const std::filesystem::path& path) {
  std::string out = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
                       c == '_' || c == '-';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out + "?immutable=1";
}

}  // namespace

Database::Database(std::filesystem::path path, Access access) : path_(std::move(path)) {
  // SQLite would follow links, also those of its side files.
  const bool there = is_regular_or_absent(path_);
  const std::string log = path_.string() + "-wal";
  is_regular_or_absent(log);
  is_regular_or_absent(path_.string() + "-shm");
  is_regular_or_absent(path_.string() + "-journal");
  if (!there && access != Access::kCreate) fail(ErrorCode::kNotFound, "'{}' does not exist", path_.string());

  int result = open(false, access);
  const bool no_place = (result & 0xff) == SQLITE_CANTOPEN || (result & 0xff) == SQLITE_READONLY;
  if (no_place && access == Access::kRead) {
    // A folder that cannot be written has no place for the shared memory of the write-ahead log. Without a log to replay the
    // main file is complete, and nobody here can change it.
    std::error_code error;
    const auto log_bytes = std::filesystem::file_size(log, error);
    if (error || log_bytes == 0) {
      result = open(true, access);
    } else {
      close();
      fail_with_hint(ErrorCode::kIo, "open the index once where its folder can be written",
                     "'{}' has {} bytes that are not in '{}' yet, and its folder cannot be written", log, log_bytes,
                     path_.string());
    }
  }
  if (result != SQLITE_OK) {
    try {
      fail_with(result, "open");
    } catch (...) {
      close();
      throw;
    }
  }
}

int Database::open(bool immutable, Access access) {
  close();
  int flags = access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (access == Access::kCreate) flags |= SQLITE_OPEN_CREATE;
  const std::string name = immutable ? uri_of(path_) : std::filesystem::absolute(path_).string();
  int result = sqlite3_open_v2(name.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX | (immutable ? SQLITE_OPEN_URI : 0), nullptr);
  if (result != SQLITE_OK) return result;
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
  if (access == Access::kRead) {  // a write in progress is finished
    sqlite3_progress_handler(
        handle_, kStepsBetweenQuestions,
        [](void* self) { return (static_cast<Database*>(self)->stopped_by_ = stop_wanted()) != nullptr ? 1 : 0; }, this);
  }
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // The first read finds out whether the file is a database and whether its log can be used.
  return sqlite3_exec(handle_, "PRAGMA cell_size_check = ON; PRAGMA schema_version", nullptr, nullptr, nullptr);
}

void Database::close() noexcept { sqlite3_close_v2(std::exchange(handle_, nullptr)); }

Database::~Database() { close(); }

void Database::fail_with(int result, const char* doing) const {
  if ((result & 0xff) == SQLITE_INTERRUPT && stopped_by_ != nullptr) stopped_by_->end_work();
  const bool has_cause = (result & 0xff) == SQLITE_IOERR || (result & 0xff) == SQLITE_CANTOPEN;
  const int system_error = handle_ != nullptr && has_cause ? system_error_of(handle_) : 0;
  const std::string message = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(result);
  fail(code_of(result, system_error), "cannot {} '{}': {}{}", doing, path_.string(), message,
       system_error != 0 ? fmt::format(" ({})", std::strerror(system_error)) : "");
}

void Database::run(const char* sql) {
  const int result = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) fail_with(result, sqlite3_db_readonly(handle_, "main") == 1 ? "read" : "write");
}

std::int64_t Database::number(const char* query) {
  Statement statement(*this, query);
  if (!statement.step()) fail(ErrorCode::kBadFile, "'{}' has no answer to '{}'", file(), query);
  return statement.integer(0, query, -1);
}

int Database::changes() const { return sqlite3_changes(handle_); }

Statement::Statement(Database& database, const char* sql) : database_(database) {
  const int result = sqlite3_prepare_v2(database.handle_, sql, -1, &statement_, nullptr);
  if (result != SQLITE_OK) database.fail_with(result, "read");
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_, parameter, value);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
  // A null pointer would bind NULL; an empty view may have one.
  const char* data = value.empty() ? "" : value.data();
  sqlite3_bind_text(statement_, parameter, data, static_cast<int>(value.size()), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind(int parameter, std::optional<double> value) {
  if (value) {
    sqlite3_bind_double(statement_, parameter, *value);
  } else {
    sqlite3_bind_null(statement_, parameter);
  }
  return *this;
}

bool Statement::step() {
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  const bool reads = sqlite3_stmt_readonly(statement_) != 0;
  try {
    database_.fail_with(result, reads ? "read" : "write");
  } catch (...) {
    sqlite3_reset(statement_);
    throw;
  }
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::refuse(const char* field, std::int64_t row, const std::string& why) const {
  if (row < 0) fail(ErrorCode::kBadFile, "'{}': {} {}", database_.file(), field, why);
  fail(ErrorCode::kBadFile, "'{}': {} of row {} {}", database_.file(), field, row, why);
}

std::int64_t Statement::integer(int column, const char* field, std::int64_t row) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) refuse(field, row, "is not an integer");
  return sqlite3_column_int64(statement_, column);
}

double Statement::real(int column, const char* field, std::int64_t row) const {
  const int type = sqlite3_column_type(statement_, column);
  if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) refuse(field, row, "is not a number");
  const double value = sqlite3_column_double(statement_, column);
  if (!std::isfinite(value)) refuse(field, row, fmt::format("is {}", value));
  return value;
}

std::optional<double> Statement::optional_real(int column, const char* field, std::int64_t row) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return real(column, field, row);
}

std::string Statement::text(int column, const char* field, std::int64_t row, std::size_t max_bytes) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) refuse(field, row, "is not text");
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  if (data == nullptr) fail(ErrorCode::kNoMemory, "not enough memory to read '{}'", database_.file());
  if (size > max_bytes) refuse(field, row, fmt::format("has {} bytes, the limit is {}", size, max_bytes));
  std::string out(data, size);
  if (out.find('\0') != std::string::npos) refuse(field, row, "contains a NUL byte");
  return out;
}

}  // namespace revisit::retrieval
