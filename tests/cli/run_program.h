// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a user would and keeps its output.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "revisit/image.h"

namespace revisit::testing {

struct RunOptions {
  std::vector<std::pair<std::string, std::string>> environment{};
  std::string program = REVISIT_PROGRAM;
  std::filesystem::path folder{};          ///< working folder; empty: the test's own
  std::string stdout_file{};               ///< where standard output goes instead of the pipe
  bool close_stdout = false;               ///< nobody reads standard output
  int signal_after_first_talk = 0;         ///< sent 0.3 s after the first byte on standard error
  std::function<bool()> interrupt_when{};  ///< SIGINT is sent as soon as this holds
  std::string interrupt_after_talk{};      ///< SIGINT is sent as soon as standard error holds this
  std::function<void()> while_paused{};    ///< called while the program stands still, after its first byte on standard error
  double timeout_s = 60;
};

struct RunResult {
  int exit_code = -1;  ///< 1000 + signal when a signal ended it, -1 when it was killed for taking too long
  std::string out;
  std::string err;
  double wall_s = 0;
  double cpu_ms = 0;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
  long lines() const { return std::count(out.begin(), out.end(), '\n'); }
  /// For the message of a failed test.
  std::string ending() const { return "exit code " + std::to_string(exit_code) + ", standard error:\n" + err; }
};

inline double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

[[noreturn]] inline void become_program(const std::vector<std::string>& arguments, const RunOptions& options, int out, int err) {
  for (char** entry = environ; *entry != nullptr;) {  // settings of the environment must not leak in
    const std::string name = std::string(*entry).substr(0, std::string(*entry).find('='));
    const bool ours = name.starts_with("REVISIT_");
    ours ? ::unsetenv(name.c_str()) : 0;
    entry = ours ? environ : entry + 1;
  }
  ::setenv("REVISIT_DEFAULT_MODEL", "revisit-tiny", 1);  // small, and the same whatever is installed
  ::setenv("XDG_DATA_HOME", "/nonexistent", 1);
  ::setenv("REVISIT_THREADS", "1", 1);  // tests run in parallel; empty unsets it
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  const auto give_up = [&](const std::string& what, int code) {  // on standard error, for whoever reads the failed test
    ::dprintf(err, "run_program: cannot %s: %s\n", what.c_str(), ::strerror(errno));
    ::_exit(code);
  };
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) give_up("enter '" + options.folder.string() + "'", 126);
  if (!options.stdout_file.empty()) out = ::open(options.stdout_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::signal(SIGINT, SIG_DFL);
  std::vector<char*> argv{const_cast<char*>(options.program.c_str())};
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(options.program.c_str(), argv.data());
  give_up("start '" + options.program + "'", 127);
  ::_exit(127);
}

inline RunResult run_program(const std::vector<std::string>& arguments, const RunOptions& options = {}) {
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  RunResult result;
  const double start = seconds_now();
  const pid_t child = ::fork();
  if (child == 0) become_program(arguments, options, out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  if (options.close_stdout) ::close(std::exchange(out[0], -1));

  pollfd streams[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  bool too_long = false;
  bool paused = false;
  bool signalled = options.signal_after_first_talk == 0;
  const std::string& last_words = options.interrupt_after_talk;
  bool interrupted = !options.interrupt_when && last_words.empty();
  while (!too_long && (streams[0].fd >= 0 || streams[1].fd >= 0)) {
    ::poll(streams, 2, interrupted ? 100 : 1);
    for (int i = 0; i < 2; ++i) {
      if (streams[i].fd < 0 || (streams[i].revents & (POLLIN | POLLHUP)) == 0) continue;
      char buffer[65536];
      const ssize_t got = ::read(streams[i].fd, buffer, sizeof(buffer));
      if (got > 0) texts[i]->append(buffer, static_cast<std::size_t>(got));
      if (got == 0) ::close(std::exchange(streams[i].fd, -1));
    }
    if (!paused && options.while_paused && !result.err.empty()) {
      paused = true;
      ::kill(child, SIGSTOP);
      options.while_paused();
      ::kill(child, SIGCONT);
    }
    if (!signalled && !result.err.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      ::kill(child, options.signal_after_first_talk);
      signalled = true;
    }
    const bool talked = !last_words.empty() && result.err.find(last_words) != std::string::npos;
    if (!interrupted && (talked || (options.interrupt_when && options.interrupt_when()))) {
      ::kill(child, SIGINT);
      interrupted = true;
    }
    too_long = seconds_now() - start > options.timeout_s;
  }
  if (too_long) ::kill(child, SIGKILL);
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  for (const auto& stream : streams) {
    if (stream.fd >= 0) ::close(stream.fd);
  }
  result.wall_s = seconds_now() - start;
  result.cpu_ms = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
                  static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
  if (!too_long) result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return result;
}

/// A temporary folder for each test, with a few pictures on demand.
class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("revisit_cli_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  /// A picture that differs by seed; returns its path.
  std::string picture(const std::string& name, std::uint32_t seed = 1) const {
    Image image{96, 64, {}};
    std::uint32_t noise = seed;
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        noise = noise * 1664525U + 1013904223U;
        image.rgb.push_back(static_cast<std::uint8_t>(x * 2 + static_cast<int>(seed) * 40));
        image.rgb.push_back(static_cast<std::uint8_t>((x / 8 + y / 8) % 2 * 100 * static_cast<int>(seed)));
        image.rgb.push_back(static_cast<std::uint8_t>(noise >> 24U));
      }
    }
    std::filesystem::create_directories((folder_ / name).parent_path());
    save_png(image, folder_ / name);
    return path(name);
  }

  std::string text_file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return path(name);
  }

  std::string contents(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  /// How many there are in the test's folder, or in one below it.
  std::size_t files(const std::string& below = "") const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_ / below), {}));
  }

  std::filesystem::path folder_;
};

}  // namespace revisit::testing
