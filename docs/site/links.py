# SPDX-License-Identifier: Apache-2.0
"""Links of the site lead somewhere: python3 links.py SITE_DIR. Files, and anchors of the pages; other hosts are none of ours."""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(path.read_text(errors="replace"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if name in ("href", "src") and value is not None:
                self.links.append((tag, value))


site = Path(sys.argv[1]).resolve()
pages = {path: Page(path) for path in site.rglob("*.html")}
bad, count = [], 0
for path, page in pages.items():
    for tag, link in page.links:
        parts = urlsplit(link)
        if parts.scheme in ("http", "https"):
            if tag in ("script", "link", "img"):
                bad.append(f"{path.relative_to(site)}: loads {link} from another host")
            continue
        if parts.scheme or link.startswith("#") and path.is_relative_to(site / "api"):
            continue
        count += 1
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir():
            target = target / "index.html"
        if not target.exists():
            bad.append(f"{path.relative_to(site)}: a link to nothing: {link}")
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
            bad.append(f"{path.relative_to(site)}: no such place: {link}")
print("\n".join(bad))
print(f"{len(pages)} pages, {count} links, {len(bad)} broken")
sys.exit(bool(bad))
