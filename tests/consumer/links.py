#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The revisit authors
# SPDX-License-Identifier: Apache-2.0
"""Every relative link of the installed README, and of the pages it leads to, points to an installed file. Pages for those who have
the source (ARCHITECTURE, CONTRIBUTING) need only their links to other pages. usage: links.py PREFIX"""
import pathlib
import re
import sys
import urllib.parse

MARKDOWN = r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+[\"'][^)]*)?\)"
HTML = r"<(?:a|img)\b[^>]*\b(?:href|src)=[\"']([^\"']+)"
FOR_THE_SOURCE = ("ARCHITECTURE.md", "CONTRIBUTING.md")


def links_of(page):
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text())
    for link in re.findall(MARKDOWN, text) + re.findall(HTML, text):
        path = urllib.parse.unquote(link.split("#")[0])
        if path and not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", path):
            yield path


def main():
    prefix = pathlib.Path(sys.argv[1]).resolve()
    folders = [page.parent for page in prefix.rglob("README.md") if (page.parent / "CHANGELOG.md").exists()]
    if len(folders) != 1:
        sys.exit(f"{prefix} has {len(folders)} folders with a README.md and a CHANGELOG.md, not one")
    folder = folders[0]
    problems, links = [], 0
    for page in sorted(folder.rglob("*.md")):
        for link in links_of(page):
            links += 1
            target = (page.parent / link).resolve()
            if page.name in FOR_THE_SOURCE and target.suffix != ".md":
                continue
            if not target.exists() or folder not in (target, *target.parents):
                problems.append(f"{page.relative_to(folder)}: '{link}' leads to no installed file")
    for needed in ("models/LICENSE", "models/README.md", "LICENSE"):
        if not (folder / needed).exists():
            problems.append(f"{needed} is not installed")
    if not any(links_of(folder / "README.md")):
        problems.append("README.md has no links: they are no longer found")
    print("\n".join(problems))
    print(f"{links} links, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
