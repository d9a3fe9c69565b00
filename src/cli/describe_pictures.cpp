// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit describe --pictures`: a second pass, made once all inputs are known to be good, so that a bad one leaves nothing
// behind.
#include <fmt/format.h>

#include <set>

#include "core/base/fail.h"
#include "core/base/stop.h"
#include "cli/describe.h"
#include "cli/progress.h"
#include "revisit/lab/report.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

/// a/x.jpg and b/x.jpg become x and x-2.
std::string unused_name(const fs::path& photo, std::set<std::string>& taken) {
  const auto stem = photo.stem().string();
  auto name = stem;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}-{}", stem, i);
  return name;
}

int save(const fs::path& folder, const std::string& name, const TokenPictures& pictures) {
  int saved = 0;
  const auto one = [&](const char* kind, const std::optional<Image>& picture) {
    if (!picture) return;
    save_png(*picture, folder / fmt::format("{}.{}.png", name, kind));
    ++saved;
  };
  one("importance", pictures.importance);
  one("mass", pictures.mass);
  one("kept", pictures.kept);
  one("transport", pictures.transport);
  return saved;
}

}  // namespace

void write_token_pictures(const DescribeArgs& args, const Described& described, Extractor& extractor, Console& console) {
  if (described.photos.empty()) {
    console.talk("notice: --pictures draws on photos, but none of the inputs is a photo");
    return;
  }
  std::error_code error;
  fs::create_directories(args.pictures, error);
  if (error) fail(ErrorCode::kIo, "cannot create the folder '{}': {}", args.pictures, error.message());
  DecodeOptions decode = decoding_of(described.spec);
  decode.accept_truncated = args.accept_truncated;
  std::set<std::string> taken;
  int saved = 0;
  const std::size_t total = described.photos.size();
  Progress progress("drawing", total, console.quiet);
  for (std::size_t done = 0; done < total; ++done) {
    if (const int signal = stop_signal(); signal != 0) {
      throw Interrupted(signal, fmt::format("stopped after drawing {} of {} photos", done, total));
    }
    const auto& path = described.photos[done];
    const Image photo = load_image(path, decode);
    Trace trace;
    extractor.describe(photo, &trace);
    saved += save(args.pictures, unused_name(path, taken), draw_token_pictures(photo, trace, patch_grid(extractor)));
    progress.update(done + 1, 0);
  }
  progress.clear();
  if (saved == 0) {
    console.talk("notice: this model does not score its patches, so there is nothing to draw");
  } else {
    console.talk(fmt::format("wrote {} pictures of what the model looks at to {}", saved, args.pictures));
  }
}

}  // namespace revisit::cli
