// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Starting index_add_child, alone or under a tracer, and stopping it.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace revisit::testing {

/// A process with its standard error in a file.
class Child {
 public:
  Child(const std::vector<std::string>& command, const std::filesystem::path& errors) : errors_(errors) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      const int fd = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      ::dup2(fd, 2);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
  }
  ~Child() {
    if (pid_ > 0) {
      kill();
      wait();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void kill() const { ::kill(pid_, SIGKILL); }

  /// The exit code, or -signal.
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  std::string errors() const {
    std::ifstream in(errors_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path errors_;
  pid_t pid_ = -1;
};

#ifdef REVISIT_INDEX_CHILD
inline std::vector<std::string> add_command(const std::filesystem::path& folder, int total, int dim, int per_commit) {
  return {REVISIT_INDEX_CHILD, folder.string(), std::to_string(total), std::to_string(dim), std::to_string(per_commit)};
}
#endif

}  // namespace revisit::testing
