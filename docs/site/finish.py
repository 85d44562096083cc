# SPDX-License-Identifier: Apache-2.0
"""Complete the pages of MkDocs and Doxygen for readers who listen to them: python3 finish.py SITE_DIR.

The theme leaves the bar of navigation without a landmark, and its button without a name; blocks of code that scroll
cannot be reached by the keyboard; heads of tables may be empty. Doxygen leaves out the language and the main part. Pages
with runnable code get the script that runs it. The search works from a disk, too.
"""
import json
import os
import re
import sys
from pathlib import Path

site = Path(sys.argv[1])
theme = (
    ('<div class="navbar fixed-top', '<div role="navigation" aria-label="Pages" class="navbar fixed-top'),
    ('<button type="button" class="navbar-toggler"', '<button type="button" aria-label="Menu" class="navbar-toggler"'),
    (
        '<div class="navbar-light navbar-expand-md bs-sidebar',
        '<div role="navigation" aria-label="This page" class="navbar-light navbar-expand-md bs-sidebar',
    ),
    ('<footer class="col-md-12">', '<footer class="col-md-12" role="contentinfo">'),
    ("<pre>", '<pre tabindex="0">'),
    ("<table>", '<table tabindex="0">'),
)
doxygen = (
    ('<html xmlns="http://www.w3.org/1999/xhtml">', '<html xmlns="http://www.w3.org/1999/xhtml" lang="en">'),
    ('<div id="titlearea">', '<div id="titlearea" role="banner">'),
    ('<div id="main-nav">', '<div id="main-nav" role="navigation" aria-label="Reference">'),
    ('<div id="nav-path" class="navpath">', '<div id="nav-path" class="navpath" role="navigation" aria-label="Path">'),
    ('<div class="header">', '<div role="main"><div class="header">'),
    ("</div><!-- contents -->", "</div><!-- contents --></div>"),
    ('<hr class="footer"/>', '<hr class="footer"/><div role="contentinfo">'),
    ("</small></address>", "</small></address></div>"),
)
menu = (
    ('<input type="text" id="MSearchField"', '<input type="text" aria-label="Search" id="MSearchField"'),
    ('<div class="sm sm-dox">', '<div class="sm sm-dox" role="navigation" aria-label="Menu">'),
)
worker = """} else {
  // Wrap search in a web worker"""
search = site / "search"
main = (search / "main.js").read_text()
if worker not in main:
    sys.exit("finish.py: the search of this version of MkDocs is another one")
from_disk = '} else if (location.protocol === "file:") {\n  var searchWorker = diskSearch();\n'
own = (Path(__file__).parent / "disk_search.js").read_text()
(search / "main.js").write_text(own + main.replace(worker, from_disk + worker))
documents = json.loads((search / "search_index.json").read_text())["docs"]
(search / "disk.js").write_text((search / "lunr.js").read_text() + f"\nwindow.diskDocuments = {json.dumps(documents)};\n")
lesson = site / "lessons" / "lesson.js"
script = site / "api" / "menu.js"
text = script.read_text()
for old, new in menu:
    text = text.replace(old, new)
script.write_text(text)
for page in site.rglob("*.html"):
    text = page.read_text()
    for old, new in doxygen if page.is_relative_to(site / "api") else theme:
        text = text.replace(old, new)
    if not page.is_relative_to(site / "api"):
        text = re.sub(r"<thead>\s*<tr>(\s*<th[^>]*></th>)*\s*</tr>\s*</thead>\s*", "", text)
        text = re.sub(r"<th[^>]*></th>", "<td></td>", text)
    if '<div class="runnable">' in text and lesson.exists():
        text = text.replace("</body>", f'<script src="{os.path.relpath(lesson, page.parent)}" defer></script></body>')
    page.write_text(text)
