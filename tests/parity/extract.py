#!/usr/bin/env python3
"""Lists the stable public items of std that the facades must offer.

Reads the HTML documentation that rustup installs (component `rust-docs`) and writes
`std_items.json` beside this file: one item a line, sorted, so that a new toolchain shows up
as a readable diff. Unstable items are left out, and items that core has as well are marked.

Usage: python3 extract.py [html folder]
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from declaration import Generics, alias, declared_generics, function, plain, value_type
from type_page import TypePage

# The modules whose items are compared in full; of all other modules only the paths are.
SHADOWED = [
    "hint",
    "os/unix/thread",
    "panic",
    "process",
    "sync",
    "sync/atomic",
    "sync/mpsc",
    "thread",
    "time",
]
# Types of shadowed modules that stay std's own.
REAL = re.compile(
    r"^(std|core)::(sync::(Arc|Weak)|time::Duration|process::(?!abort$|exit$)\w+"
    r"|panic::(AssertUnwindSafe|Location|Panic\w+))$"
)
# Paths that are too many, and on which no facade could have an effect.
UNLISTED = re.compile(r"^(macro\.try|arch|intrinsics|simd|core_\w+|os/(?!unix|linux|fd|raw))\b")


def main():
    """Writes the list for the toolchain's own documentation, or for the folder given."""
    docs = Path(sys.argv[1]) if len(sys.argv) > 1 else installed_docs()
    std, core = Library(docs, "std"), Library(docs, "core")
    listing = {"rust": docs_version(docs)}
    listing["std paths"], listing["core paths"] = std.paths(), core.paths()
    listing["items"] = join_twins(std.items(), core.items())
    Path(__file__).with_name("std_items.json").write_text(render(listing))


def installed_docs():
    """Returns the documentation folder of the default toolchain."""
    sysroot = subprocess.check_output(["rustc", "--print", "sysroot"], text=True)
    return Path(sysroot.strip()) / "share/doc/rust/html"


def docs_version(docs):
    """Returns the release that the documentation is of."""
    return re.search(r"crates([\d.]+)\.js", " ".join(p.name for p in docs.iterdir()))[1]


def join_twins(std, core):
    """Merges two lists; an item that both crates have alike is kept once and marked."""
    std, core = list(map(tidy, std)), list(map(tidy, core))
    renamed = {re.sub(r"\bcore::", "std::", json.dumps(item)): item for item in core}
    joined = []
    for item in std:
        if renamed.pop(json.dumps(item), None):
            item["core"] = True
        joined.append(item)
    once = {json.dumps(item): item for item in joined + list(renamed.values())}
    return [item for _, item in sorted(once.items())]


def tidy(item):
    """Leaves out what is empty."""
    return {key: value for key, value in item.items() if value != "" or key == "fields"}


def render(listing):
    """Formats the list with one item a line."""
    lines = ["{", f' "rust": {json.dumps(listing["rust"])},']
    for key in ["std paths", "core paths"]:
        rows = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in listing[key].items()]
        lines += [f" {json.dumps(key)}: {{", ",\n".join(rows), " },"]
    rows = ["  " + json.dumps(item, ensure_ascii=False) for item in listing["items"]]
    lines += [' "items": [', ",\n".join(rows), " ]", "}"]
    return "\n".join(lines) + "\n"


class Library:
    """The documentation of one crate."""

    def __init__(self, docs, name):
        self.docs, self.name = docs, name
        self.stability = {}

    def paths(self):
        """Returns the names of all stable items and modules, by module."""
        found = {}
        root = self.docs / self.name
        for page in sorted(root.rglob("*.html")):
            path = page.relative_to(root)
            stem = page.name.removesuffix(".html")
            if UNLISTED.match(str(path)) or not self.is_stable(page):
                continue
            if stem == "index" and path.parent.parts:
                module, name = path.parent.parent.parts, path.parent.name
            elif re.match(r"(struct|enum|union|trait|fn|type|constant|static|macro)\.\w+$", stem):
                module, name = path.parent.parts, stem.split(".")[1]
            else:
                continue
            if "Redirecting to" not in page.read_text()[:1000]:
                found.setdefault("::".join((self.name, *module)), set()).add(name)
        for page in sorted((root / "prelude").glob("*/index.html")):
            module = f"{self.name}::prelude::{page.parent.name}"
            found.setdefault(module, set()).update(prelude_names(page.read_text()))
        return {module: " ".join(sorted(names)) for module, names in sorted(found.items())}

    def is_stable(self, page):
        """Tells whether a page's item, and every module around it, may be used on stable."""
        if page not in self.stability:
            text = page.read_text() if page.exists() else ""
            head = re.split(r'<details class="toggle top-doc"|<h2 id=', text)[0]
            stable = 'class="stab unstable"' not in head
            above = page.parent / "index.html"
            if page.name == "index.html":
                above = page.parent.parent / "index.html"
            inside = above != page and self.docs / self.name in above.parents
            self.stability[page] = stable and (not inside or self.is_stable(above))
        return self.stability[page]

    def items(self):
        """Returns the stable items of the shadowed modules."""
        found = []
        for module in SHADOWED:
            for page in sorted((self.docs / self.name / module).glob("*.*.html")):
                path = "::".join((self.name, *module.split("/"), page.name.split(".")[1]))
                if self.is_stable(page) and not REAL.match(path):
                    found += self.page_items(page, path)
        return found

    def page_items(self, page, path):
        """Returns what one page declares."""
        text = page.read_text()
        declaration = plain(re.search(r'item-decl"><code>(.*?)</code></pre>', text, re.S)[1])
        kind = page.name.split(".")[0]
        if kind == "fn":
            return [function(declaration, path, Generics("", ""), None)]
        if kind == "constant":
            return [{"value": path, "type": value_type(declaration)}]
        if kind == "type":
            return [alias(declaration, path)]
        if kind in ("struct", "enum"):
            public = lambda impl, code: self.is_public_impl(page, impl, code)
            return TypePage(path, declared_generics(declaration), public).items(text)
        return []

    def is_public_impl(self, page, impl, code):
        """Tells whether an impl is of a trait that stable code can name and rely on."""
        if not impl.trait:
            return True
        links = re.findall(r'class="(?:trait|struct|enum)" href="([^"#]+)', code)
        foreign = any("os/windows" in link for link in links)
        named = all(self.is_stable((page.parent / link).resolve()) for link in links)
        return impl.name != "Drop" and named and not foreign


def prelude_names(text):
    """Returns what a prelude module re-exports and stable code can import."""
    names = []
    for entry in re.findall(r'<dt id="reexport\.(\w+)">(.*?)</dt>', text, re.S):
        if "Experimental" not in entry[1]:
            names.append(entry[0])
    return names


if __name__ == "__main__":
    main()
