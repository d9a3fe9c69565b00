// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Style and frame of a page: light and dark, readable on a phone and on paper.
#include "lab/report/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/text.h"
#include "lab/report/text.h"

namespace revisit::report {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--right:#00855f;--wrong:#d55e00;--query:#0072b2;--plain:#5b6b7b}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:78rem;margin:2rem auto;padding:0 1.25rem}
h1{font-size:1.7rem;line-height:1.25;overflow-wrap:anywhere;margin-bottom:1rem}h2{font-size:1.25rem;margin:2.5rem 0 .75rem}
.cards{display:flex;flex-wrap:wrap;gap:.75rem;margin:1rem 0}
.card{border:1px solid var(--line);border-radius:.5rem;padding:.5rem 1rem;background:var(--soft);font-size:.85rem;min-width:7rem}
.card b{display:block;font-size:1.35rem;line-height:1.4;font-variant-numeric:tabular-nums}
table{border-collapse:collapse;max-width:100%}
th,td{padding:.3rem .9rem .3rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{font-weight:600;white-space:nowrap}td{overflow-wrap:anywhere}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;padding-left:.9rem;white-space:nowrap}
td.long,th.long{min-width:11rem}td+td.long,th+th.long{padding-left:.9rem}
.wide{overflow-x:auto}
article{padding:.9rem 0 1.2rem;border-top:1px solid var(--line);break-inside:avoid}
.row{display:grid;grid-template-columns:repeat(5,minmax(0,1fr));gap:.75rem;align-items:start}
.row.lacks{grid-template-columns:repeat(6,minmax(0,1fr))}
@media(max-width:60rem){.row,.row.lacks{grid-template-columns:repeat(3,minmax(0,1fr))}}
@media(max-width:34rem){.row,.row.lacks{grid-template-columns:repeat(2,minmax(0,1fr))}}
figure{margin:0;min-width:0}
.photo{border:.25rem solid var(--plain);aspect-ratio:4/3;display:flex;align-items:center;justify-content:center;background:#8882}
.photo img{width:100%;height:100%;object-fit:contain;display:block}
.right .photo{border-color:var(--right)}.wrong .photo{border-color:var(--wrong);border-style:dashed}
.query .photo{border-color:var(--query)}
.right figcaption b{color:var(--right)}.wrong figcaption b{color:var(--wrong)}.query figcaption b{color:var(--query)}
.where,.why{margin:.5rem 0 0}.where{font-weight:600;font-variant-numeric:tabular-nums}
details{margin-top:.5rem;font-size:.9rem}summary{cursor:pointer;width:fit-content;color:var(--query)}
details p{margin:.75rem 0}
.looks{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),22rem));gap:.75rem}
.maps{display:grid;grid-template-columns:1fr 1fr;gap:.25rem}
.maps img{width:100%;aspect-ratio:4/3;height:auto;object-fit:contain;display:block;background:#8882}
figcaption{font-size:.8rem;line-height:1.35;margin-top:.3rem}
.name{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden;overflow-wrap:anywhere;opacity:.75}
.none{padding:.5rem;font-size:.75rem;line-height:1.3;overflow-wrap:anywhere;text-align:center;max-height:100%;overflow:hidden}
.lacking{margin:0;font-size:.9rem}
.ramp{padding:.05rem .5rem;border-radius:.25rem;color:#fff;text-shadow:0 0 3px #000,0 0 3px #000;
background:linear-gradient(90deg,#08061e,#3e1262,#82206e,#c63a4e,#f07424,#fabe3e,#fcfcc4)}
svg.agree{margin:.5rem 0;width:48rem}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:0 2rem;align-items:start}
.two>section{min-width:0}svg{width:45rem;max-width:100%;height:auto;display:block}
#map,#curve{border:1px solid var(--line);border-radius:.5rem;padding:.5rem;max-width:46rem}code{overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){:root{--right:#2bb58a;--wrong:#f08a3c;--query:#5aaee0}}
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
            {"model", fmt::format("{} (identity {})", run.model, run.spec.model_identity.value_or("unknown"))},
            {"descriptor", fmt::format("{} values, {}", run.dim, run.aggregator)},
            {"settings", spec_text(run.spec)},
            {"tokens kept", fmt::format("rho {:g} for queries, {:g} for references", run.spec.rho.value_or(1),
                                        run.reference_spec.rho.value_or(1))},
            {"time per query",
             fmt::format("{:.1f} ms forward, {:.1f} ms with decoding (medians)", run.ms_per_image, run.end_to_end_ms)},
            {"machine", fmt::format("{}, {}", run.cpu, run.threads > 0 ? counted(run.threads, "thread") : "all cores")},
            {"version", "revisit " + run.version + (run.commit.empty() ? "" : ", commit " + run.commit)}};
  if (run.max_false_rate)
    rows.insert(rows.begin() + 6, {"false rate", fmt::format("at most {:g}, {}", *run.max_false_rate, run.calibration)});
  if (run.min_similarity)
    rows.insert(rows.begin() + 6, {"no match", fmt::format("below similarity {:.4f}", *run.min_similarity)});
  return rows;
}

std::string how_many(const Evaluation& evaluation) {
  const auto number = [](int count) { return static_cast<std::size_t>(count); };
  std::string out = fmt::format("{}, {}. ", counted(number(evaluation.num_queries), "query"),
                                counted(number(evaluation.num_references), "reference"));
  if (evaluation.num_without_positive == 0) return out;
  return out + fmt::format("{} no right reference and {}. ",
                           counted(number(evaluation.num_without_positive), "query") +
                               (evaluation.num_without_positive == 1 ? " has" : " have"),
                           evaluation.num_without_positive == 1 ? "counts as a miss" : "count as misses");
}

std::string skipped_list(const std::vector<Skipped>& skipped) {
  if (skipped.empty()) return {};
  std::string out = fmt::format("<h2>Skipped photos ({})</h2>\n<ul>\n", skipped.size());
  for (const auto& one : skipped) out += fmt::format("<li>{}: {}</li>\n", escaped(one.path), escaped(one.reason));
  return out + "</ul>\n";
}

}  // namespace revisit::report
