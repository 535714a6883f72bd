"""Reads what the documentation page of a struct or an enum declares."""

import re

from declaration import Impl, function, plain, spell_self, value_type

IMPL_LISTS = ["implementations", "trait-implementations", "synthetic-implementations"]
PARTS = re.compile(
    r'<h2 id="(?P<heading>[^"]+)"'
    r'|<section id="(?P<id>[^"]+)" class="(?P<kind>\w+)[^"]*">(?:(?!</section>).)*?'
    r'<h[34] class="code-header">(?P<code>.*?)</h[34]>'
    r'|<span id="structfield\.(?P<field>\w+)"[^>]*>.*?<code>(?P<field_code>.*?)</code>'
    r'|(?P<unstable><div class="stab unstable">)',
    re.S,
)


class TypePage:
    """One page, read from top to bottom."""

    def __init__(self, path, generics, is_public_impl):
        self.path, self.generics, self.is_public_impl = path, generics, is_public_impl
        self.of = path + generics.arguments()
        self.found = []
        # What a mark of instability would take back: entries from here on, and the impl block.
        self.mark = 0
        self.impl = None

    def items(self, text):
        """Returns the methods, impls, variants and fields."""
        heading = None
        for part in PARTS.finditer(text):
            if part["heading"]:
                heading = part["heading"]
            elif part["unstable"]:
                self.take_back()
            else:
                self.in_impl = part["kind"] not in ("impl", None)
                self.mark = len(self.found)
                self.read(heading, part)
        return self.found

    def take_back(self):
        """Removes what was read last."""
        del self.found[self.mark :]
        if not self.in_impl:
            self.impl = None

    def read(self, heading, part):
        """Adds one declaration."""
        if part["field"]:
            kind = plain(part["field_code"]).split(": ", 1)[1]
            self.add_part("field", f"{self.path}.{part['field']}", type=kind)
        elif heading == "variants" and part["kind"] == "variant":
            name, fields = re.match(r"(\w+)(.*)", plain(part["code"])).groups()
            self.add_part("variant", f"{self.path}::{name}", fields=fields)
        elif heading in IMPL_LISTS and part["kind"] == "impl":
            self.open_impl(part["code"])
        elif heading in IMPL_LISTS and self.impl:
            self.read_member(part["kind"], plain(part["code"]))

    def add_part(self, kind, path, **rest):
        """Adds a variant or a field."""
        entry = {kind: path, "of": self.of, "generics": self.generics.text()}
        self.found.append(entry | rest)

    def open_impl(self, code):
        """Begins an impl block; that of a trait is an item by itself."""
        self.impl = Impl(plain(code), self.generics)
        if not self.is_public_impl(self.impl, code):
            self.impl = None
        elif self.impl.trait:
            self.found += self.impl.entries()

    def read_member(self, kind, code):
        """Adds a member of the impl block; of a trait's, only its types say something new."""
        impl = self.impl
        if impl.trait and kind == "associatedtype":
            name, value = code.removeprefix("type ").split(" = ")
            entry = next(e for e in reversed(self.found) if "impl" in e)
            entry.setdefault("types", {})[name.strip()] = spell_self(value, impl.of)
        elif not impl.trait and kind == "method":
            self.found.append(function(code, self.path, impl.generics, impl.of))
        elif not impl.trait and kind == "associatedconstant":
            name = re.search(r"const (\w+)", code)[1]
            kind = spell_self(value_type(code), impl.of)
            self.found.append({"value": f"{self.path}::{name}", "type": kind})
