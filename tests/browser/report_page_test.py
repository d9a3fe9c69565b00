#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""Opens report.html in headless Chromium that cannot reach any network and asks the page what it shows.
usage: report_page_test.py REVISIT WORK_FOLDER     exit 77: no browser here (a failure when CI=true)"""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

# Runs inside a copy of the page. What a reader would see, as numbers.
PROBE = """
<script>
addEventListener('load', () => {
  const folded = [...document.querySelectorAll('details')].filter(e => !e.open).length;
  const shut = [...document.querySelectorAll('details .maps img')].filter(e => !e.checkVisibility()).length;
  document.querySelectorAll('details').forEach(e => e.open = true);
  const box = e => { const r = e.getBoundingClientRect(); return [r.width, r.height]; };
  const svg = id => document.querySelector('#' + id + ' svg');
  const images = [...document.images];
  const outside = [...document.querySelectorAll('body *')].filter(e => {
    const r = e.getBoundingClientRect();
    return r.right > innerWidth + 1 && !e.closest('.wide') && getComputedStyle(e).overflow !== 'hidden';
  });
  document.title = 'PROBE' + JSON.stringify({
    images: images.length,
    empty: images.filter(i => !i.complete || i.naturalWidth === 0).map(i => i.alt),
    squashed: images.filter(i => box(i)[0] < 20 || box(i)[1] < 15).length,
    rows: document.querySelectorAll('.row').length,
    maps: document.querySelectorAll('.maps img').length, folded, shut,
    answers: [...document.querySelectorAll('article')].filter(e => {
      const tops = [...e.children].map(c => c.getBoundingClientRect().top);
      return [...e.children].map(c => c.className || c.tagName).join() === 'row,where,why,DETAILS' && tops.every((t, i) => !i || t > tops[i - 1]);
    }).length,
    words: [...document.querySelectorAll('.where, .why')].map(e => e.textContent),
    curve: svg('curve') ? box(svg('curve')) : null,
    curveLines: svg('curve') ? svg('curve').querySelectorAll('path[stroke-width="2"]').length : 0,
    map: svg('map') ? box(svg('map')) : null,
    discs: svg('map') ? svg('map').querySelectorAll('circle').length : 0,
    scroll: document.documentElement.scrollWidth, width: innerWidth,
    outside: outside.slice(0, 5).map(e => e.tagName + '.' + e.className),
    fetched: performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).map(e => e.name),
  });
});
</script>
"""

problems = []


def expect(condition, sentence):
    if not condition:
        problems.append(sentence)


def find_browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    print("no chromium here: scripts/install-deps.sh test installs it")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=180, **options)
    if done.returncode != 0:
        print(f"{' '.join(map(str, command))}\nexit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        sys.exit(1)
    return done.stdout


class Browser:
    def __init__(self, program, work):
        self.base = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--no-first-run", f"--user-data-dir={work / 'profile'}", "--virtual-time-budget=10000",
                     "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9"]

    def title(self, page, width):
        dom = run(*self.base, f"--window-size={width},2000", "--dump-dom", page.as_uri())
        return html.unescape(re.search(r"<title>(.*?)</title>", dom, re.S)[1])

    def screenshot(self, page, file, width, height):
        file.unlink(missing_ok=True)
        run(*self.base, f"--window-size={width},{height}", f"--screenshot={file}", page.as_uri())
        expect(file.exists() and file.stat().st_size > 20_000, f"{file} is not a screenshot of a page with pictures")


def probe(browser, page, width):
    """The page with its content policy taken out, so that the probe may run, and nothing else changed."""
    text = page.read_text()
    open_text, count = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    expect(count == 1, "the page has no content policy")
    copy = page.with_name("probed.html")
    copy.write_text(open_text.replace("</body>", PROBE + "</body>"))
    title = browser.title(copy, width)
    if not title.startswith("PROBE"):
        print(f"the probe did not run in {page}: title '{title}'")
        sys.exit(1)
    return json.loads(title[5:])


def check_closed(page, browser):
    text = page.read_text()
    expect(not re.search(r"https?://", text), "the page names an address on the network")
    expect("<script" not in text, "the page has a script")
    guarded = page.with_name("guarded.html")
    guarded.write_text(text.replace("</body>", PROBE + "</body>"))
    expect(not browser.title(guarded, 800).startswith("PROBE"), "the content policy lets a script run")


def main():
    program, work = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    browser_program = find_browser()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    browser = Browser(browser_program, work)
    run(program, "synth", "town", "--places", 8, "--views", 3, "--size", "180x240", cwd=work)
    # Half of the queries are references themselves, so that some answers are right whatever the model is worth.
    for photo in sorted((work / "town/database").glob("*view01*"))[:4]:
        shutil.copy(photo, work / "town/queries")
    run(program, "match", "town/queries", "town/database", "--rho", 0.6, "-o", "out", "-q", cwd=work)
    page = work / "out/report.html"
    size = page.stat().st_size
    expect(size < 3_000_000, f"{page} has {size} bytes")
    check_closed(page, browser)

    for width in (1280, 500):
        seen = probe(browser, page, width)
        print(width, {key: value for key, value in seen.items() if key not in ("empty", "words")})
        expect(seen["rows"] == 12, f"{seen['rows']} rows of queries, 12 expected")
        expect(seen["images"] >= 12 * 5 + seen["maps"], f"{seen['images']} pictures are too few")
        expect(seen["maps"] == 4 * 12, f"{seen['maps']} heat maps and masks, 48 expected: two per query and two per match")
        expect(seen["folded"] == 12 and seen["shut"] == seen["maps"], "what the model looked at is not folded away")
        expect(seen["answers"] == 12, f"{seen['answers']} of 12 examples go from photos to place, reason and details")
        places = [words for words in seen["words"] if re.search(r"(near|taken at) 47\.85\d+, [89]\.\d+", words)]
        expect(len(places) == 12, f"{len(places)} of 12 answers say where the photo was taken: {seen['words'][:4]}")
        why = r"(Sure|Likely): accepted down to a false rate of|No match: (accepted only at a false rate of|it hardly stands out)"
        reasons = [words for words in seen["words"] if re.search(why, words)]
        expect(len(reasons) == 12, f"{len(reasons)} of 12 answers say why")
        expect(not seen["empty"], f"pictures that did not load: {seen['empty'][:3]}")
        expect(seen["squashed"] == 0, f"{seen['squashed']} pictures are too small to see")
        expect(seen["curve"] and min(seen["curve"]) > 150 and seen["curveLines"] == 1, "the precision-recall curve does not exist")
        expect(seen["map"] and min(seen["map"]) > 100, "the map does not exist")
        expect(seen["discs"] == 16 + 12, f"{seen['discs']} dots on the map, 28 expected")
        expect(seen["scroll"] <= seen["width"], f"at {width} pixels the page scrolls sideways: {seen['outside']}")
        expect(not seen["outside"], f"at {width} pixels these stick out: {seen['outside']}")
        expect(not seen["fetched"], f"the page fetched {seen['fetched']}")
    browser.screenshot(page, work / "report.png", 1280, 5200)
    browser.screenshot(page, work / "report_phone.png", 500, 2600)

    run(program, "sweep", "--queries_folder", "town/queries", "--database_folder", "town/database", "--rho", "1,0.7,0.5", "-o", "sweep",
        "-q", cwd=work)
    sweep = work / "sweep/report.html"
    check_closed(sweep, browser)
    seen = probe(browser, sweep, 1280)
    expect(seen["curve"] and seen["curveLines"] == 2, "the sweep's curve, or its line in the legend, does not exist")
    browser.screenshot(sweep, work / "sweep.png", 1280, 1100)

    print("\n".join(problems))
    print(f"{len(problems)} problems; screenshots in {work}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
