"""Takes Rust declarations apart, as rustdoc renders them.

Not a parser of Rust: it knows the shapes that std's documentation has. Everything a test would
have to know about syntax is settled here: `Self` and `impl Trait` are written out, bounds of an
impl and of its method are merged, names are full paths.
"""

import html
import re

AUTO_TRAITS = ["Send", "Sync", "Unpin", "UnwindSafe", "RefUnwindSafe"]


class Generics:
    """Type and lifetime parameters with their bounds."""

    def __init__(self, declared, where):
        self.declared = split(declared)
        self.where = [w for w in split(where) if not w.endswith(":")]

    def text(self):
        """Returns the parameters with lifetimes first, as a declaration wants them."""
        return ", ".join(sorted(self.declared, key=lambda p: not p.startswith("'")))

    def arguments(self):
        """Returns the parameters' names in angle brackets."""
        names = [re.match(r"(?:const )?('?\w+)", p)[1] for p in self.declared]
        return f"<{', '.join(names)}>" if names else ""

    def plus(self, other):
        """Returns the parameters of two nested declarations together."""
        both = Generics("", "")
        both.declared = self.declared + other.declared
        both.where = self.where + other.where
        return both


class Impl:
    """The header of an impl block."""

    def __init__(self, code, of_type):
        rest, where = split_where(code.removeprefix("unsafe ").removeprefix("impl"))
        declared, rest = leading_generics(rest)
        self.generics = Generics(declared, where)
        negative, trait, of = re.match(r"(!?)(?:const )?(?:(.*?) for )?(?!\()(.*)$", rest).groups()
        self.negative, self.trait, self.of = bool(negative), trait, of
        self.name = re.sub(r"<.*", "", trait or "").split("::")[-1]
        # Impls that rustdoc makes up leave out what the type itself demands.
        for parameter in of_type.declared:
            if "'static" in parameter and parameter[0] in self.generics.declared:
                self.generics.where.append(f"{parameter[0]}: 'static")

    def entries(self):
        """Returns the impl, and for an auto trait also where the impl must end."""
        key = "not" if self.negative else "impl"
        found = [self.entry(key, self.generics)]
        if key == "impl" and self.name in AUTO_TRAITS:
            found += [self.entry("not", g) for g in self.without_auto_bounds()]
        return found

    def entry(self, key, generics):
        """Returns the impl in the form that is written to the list."""
        return {key: self.trait, "of": self.of, "generics": generics.text(),
                "where": ", ".join(generics.where)}

    def without_auto_bounds(self):
        """Yields the generics with each bound by an auto trait left out in turn."""
        for field in ("declared", "where"):
            for index, declared in enumerate(getattr(self.generics, field)):
                name, _, bounds = declared.partition(": ")
                bounds = bounds.split(" + ")
                for bound in bounds:
                    if bound.split("::")[-1] in AUTO_TRAITS:
                        rest = " + ".join(b for b in bounds if b != bound)
                        less = Generics("", "")
                        less.declared = list(self.generics.declared)
                        less.where = list(self.generics.where)
                        getattr(less, field)[index] = f"{name}: {rest}" if rest else name
                        less.where = [w for w in less.where if ":" in w]
                        yield less


def function(code, path, outer, of):
    """Returns the entry of a free function, or of a method of the type `of`."""
    code, where = split_where(code)
    head, rest = re.match(r"pub (.*?)fn (.*)$", code).groups()
    name, rest = re.match(r"(\w+)(.*)$", rest).groups()
    declared, rest = leading_generics(rest)
    inner = Generics(declared, where)
    end = closing(rest, 0)
    arguments, result = split(rest[1:end]), rest[end + 1 :].removeprefix(" -> ")
    turbofish = [g for g in inner.arguments()[1:-1].split(", ") if g and g[0] != "'"]
    types = []
    for index, argument in enumerate(arguments):
        kind = spell_self(argument_type(argument), of)
        if kind.startswith("impl "):
            inner.declared.append(f"F{index}: {kind.removeprefix('impl ')}")
            kind = f"F{index}"
        types.append(kind)
    generics, result = outer.plus(inner), spell_self(result, of)
    others = types[0].removeprefix("&") + "".join(types[1:]) if types else ""
    if is_elided(result) and re.search(r"&|'", others) and types[0].startswith("&"):
        # The elision rule that prefers `self` does not hold in pointer types: name it.
        generics.where += [f"{p.split(':')[0]}: 's" for p in generics.declared if p[0] == "'"]
        generics.declared.insert(0, "'s")
        types[0] = re.sub(r"^&(?!')", "&'s ", types[0])
        result = re.sub(r"&(?!')", "&'s ", result.replace("'_", "'s"))
    item = {"fn": f"{path}::{name}" if of else path, "of": of or "",
            "generics": generics.text(), "where": spell_self(", ".join(generics.where), of),
            "turbofish": ", ".join(turbofish), "args": types, "ret": result or "()"}
    for word in ("const", "unsafe"):
        if word in head:
            item[word] = True
    return item


def spell_self(text, of):
    """Replaces `Self` by the type `of`, if there is one."""
    return re.sub(r"\bSelf\b(?!::)", lambda _: of, text) if of else text


def argument_type(argument):
    """Returns the type of one argument; that of a bare `self` in terms of `Self`."""
    name, colon, kind = argument.partition(": ")
    return kind if colon else name.replace("self", "Self")


def alias(code, path):
    """Returns the entry of a type alias."""
    declared, rest = leading_generics(re.match(r"pub type \w+(.*);", code)[1])
    generics = Generics(declared, "")
    names = generics.arguments()
    return {"alias": path + names, "generics": generics.text(),
            "type": rest.removeprefix("= ")}


def value_type(code):
    """Returns the type of a constant."""
    return re.search(r"const \w+: (.*?)( = .*)?;?$", code)[1]


def declared_generics(declaration):
    """Returns the parameters of a struct or enum, without defaults."""
    declared, _ = leading_generics(re.search(r"pub \w+ \w+(.*)", declaration)[1])
    declared = ", ".join(re.sub(r" = .*", "", p) for p in split(declared))
    return Generics(declared, "")


def plain(code):
    """Turns a highlighted declaration into source text with full paths."""
    link = r'<a class="(?:struct|enum|union|trait|type)"[^>]* title="\w+ ([\w:]+)">(.*?)</a>'
    code = re.sub(r'<span class="comment">.*?</span>', "", code)
    code = code.replace('<div class="where">', " ")
    code = re.sub(link, full_path, code)
    text = html.unescape(re.sub(r"<[^>]+>", "", code)).replace("ⓘ", "")
    return re.sub(r",\s*([)>}])", r"\1", re.sub(r"\(\s+", "(", re.sub(r"\s+", " ", text))).strip()


def full_path(link):
    """Returns a linked name's path; an associated type keeps its name."""
    return link[1] if link[1].split("::")[-1] == link[2] else link[2]


def is_elided(kind):
    """Tells whether a type has a reference or a lifetime that is left to be inferred."""
    return bool(re.search(r"&(?!')|'_", kind))


def split_where(code):
    """Separates a where clause from what it belongs to."""
    head, _, where = code.partition(" where ")
    return head.strip(), where.strip().removesuffix(",")


def leading_generics(code):
    """Separates the generics that a text starts with, without their brackets."""
    if not code.startswith("<"):
        return "", code.strip()
    end = closing(code, 0)
    return code[1:end], code[end + 1 :].strip()


def closing(code, start):
    """Returns the position of the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(code)):
        if code[index] in "<([{":
            depth += 1
        elif code[index] in ")]}" or code[index] == ">" and code[index - 1] != "-":
            depth -= 1
            if depth == 0:
                return index
    raise ValueError(code)


def split(code):
    """Splits at the commas that stand outside all brackets."""
    parts, depth = [""], 0
    for index, char in enumerate(code):
        if char in "<([{":
            depth += 1
        elif char in ")]}" or char == ">" and code[index - 1] != "-":
            depth -= 1
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [p.strip() for p in parts if p.strip()]
