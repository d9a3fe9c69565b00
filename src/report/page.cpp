// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Style and frame of a page: light and dark, readable on a phone and on paper.
#include "report/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/text.h"

namespace revisit::report {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--line:#8884}
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem}
table{border-collapse:collapse}th,td{padding:.25rem .75rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.row{display:flex;flex-wrap:wrap;gap:.75rem;padding:.75rem 0;border-top:1px solid var(--line);break-inside:avoid}
figure{margin:0;width:12.5rem}figure img{width:100%;display:block;border:.3rem solid #5b6b7b;box-sizing:border-box}
figure.right img{border-color:#00855f}figure.wrong img{border-color:#d55e00;border-style:dashed}
figure.query img{border-color:#0072b2}
figcaption{font-size:.8rem;overflow-wrap:anywhere}.why{flex-basis:100%;margin:0;font-size:.9rem}
.none{border:.3rem solid var(--line);padding:2rem .5rem;font-size:.8rem}
svg{max-width:100%;height:auto}code{overflow-wrap:anywhere}
)";

}  // namespace

std::string page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
      "<title>{}</title>\n<style>{}</style></head>\n<body>\n{}</body></html>\n",
      escaped(title), kStyle, body);
}

std::string fact_table(const Rows& rows) {
  std::string out = "<table>\n";
  for (const auto& [name, value] : rows) out += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
  return out + "</table>\n";
}

Rows facts_of(const RunRecord& run) {
  Rows rows{{"command", fmt::format("revisit {} {}", run.command, fmt::join(run.arguments, " "))},
            {"started", run.started},
            {"model", fmt::format("{} (weights {})", run.model, run.fingerprint)},
            {"descriptor", fmt::format("{} values, {}", run.dim, run.aggregator)},
            {"input", fmt::format("{}x{}, EXIF orientation {}", run.size.height, run.size.width,
                                  run.orientation == Orientation::kApply ? "applied" : "ignored")},
            {"tokens kept",
             fmt::format("rho {:g} for queries, {:g} for references, pruner {}", run.rho, run.reference_rho, run.pruner)},
            {"time per query",
             fmt::format("{:.1f} ms forward, {:.1f} ms with decoding (medians)", run.ms_per_image, run.end_to_end_ms)},
            {"machine", fmt::format("{}, {}", run.cpu, run.threads > 0 ? fmt::format("{} threads", run.threads) : "all cores")},
            {"version", "revisit " + run.version}};
  if (run.min_similarity)
    rows.insert(rows.begin() + 6, {"no match", fmt::format("below similarity {:.4f}", *run.min_similarity)});
  return rows;
}

std::string skipped_list(const std::vector<Skipped>& skipped) {
  if (skipped.empty()) return {};
  std::string out = fmt::format("<h2>Skipped photos ({})</h2>\n<ul>\n", skipped.size());
  for (const auto& one : skipped) out += fmt::format("<li>{}: {}</li>\n", escaped(one.path), escaped(one.reason));
  return out + "</ul>\n";
}

}  // namespace revisit::report
