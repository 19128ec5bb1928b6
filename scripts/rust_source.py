"""Rust source as far as counting and changing lines needs it: what is code, what belongs to tests, what a function is."""
import re
from dataclasses import dataclass

OPEN, CLOSE = "([{", ")]}"
TEXT = re.compile(
    r"""(?P<comment>//[^\n]*)
      | (?P<block>/\*)
      | (?P<raw>\bb?r(?P<marks>\#*)".*?"(?P=marks))
      | (?P<string>b?"(?:\\.|[^"\\])*")
      | (?P<char>b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'\n])')""",
    re.VERBOSE | re.DOTALL,
)


def blank(text):
    """Spaces in place of a text; its lines stay."""
    return re.sub(r"[^\n]", " ", text)


def masked(text, strings=True):
    """The same text, of the same length, with blanks for comments and, if wanted, for what stands in quotes."""
    parts, at = [], 0
    while found := TEXT.search(text, at):
        parts.append(text[at : found.start()])
        end = found.end()
        if found.lastgroup == "block" or found["block"]:
            depth, end = 1, found.end()
            while depth and end < len(text):
                mark = text[end : end + 2]
                depth += {"/*": 1, "*/": -1}.get(mark, 0)
                end += 2 if mark in ("/*", "*/") else 1
        piece = text[found.start() : end]
        if found["comment"] or found["block"] or strings:
            parts.append(blank(piece))
        else:
            # A brace in quotes is no brace.
            parts.append(re.sub(r"[^\n\s]", '"', piece))
        at = end
    parts.append(text[at:])
    return "".join(parts)


def closing(code, at):
    """The place after the bracket that closes the one that opens at a place."""
    depth = 0
    for place in range(at, len(code)):
        depth += (code[place] in OPEN) - (code[place] in CLOSE)
        if depth == 0:
            return place + 1
    return len(code)


def without_tests(code):
    """A masked text with blanks for what only tests have."""
    while found := re.search(r"#\[cfg\(test\)\]", code):
        at = found.end()
        while at < len(code) and code[at] not in "{;":
            at = closing(code, at) if code[at] in "([" else at + 1
        end = closing(code, at) if code[at : at + 1] == "{" else at + 1
        code = code[: found.start()] + blank(code[found.start() : end]) + code[end:]
    return code


TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([a-z]+\))? )?mod tests\b")


def is_test_file(path, root):
    """Whether a whole file below a folder is for tests: a module `tests` that its parent has for tests alone."""
    for part in (path, *path.parents):
        if part.stem == "tests":
            folder = (root / part).parent
            parents = [folder / "mod.rs", folder / "lib.rs", folder.with_suffix(".rs")]
            if any(TEST_MODULE.search(parent.read_text()) for parent in parents if parent.is_file()):
                return True
    # The tests of a command are in its folder, and a program of the folder tests includes them.
    return path.name == "tests.rs"


def code_lines(text):
    """How many lines have code: no blank ones, no comments, no tests."""
    return sum(bool(line.strip()) for line in without_tests(masked(text, strings=False)).splitlines())


@dataclass
class Function:
    """A function: where it starts, what it is called, and how many lines it has from `fn` to its closing brace."""

    line: int
    name: str
    lines: int


def functions(text):
    """The functions of a text that are not tests."""
    code = without_tests(masked(text))
    for found in re.finditer(r"\bfn (\w+)", code):
        at = found.end()
        while at < len(code) and code[at] not in "{;":
            at = closing(code, at) if code[at] in "([" else at + 1
        if code[at : at + 1] == "{":
            line = code.count("\n", 0, found.start()) + 1
            last = code.count("\n", 0, closing(code, at)) + 1
            yield Function(line, found[1], last - line + 1)
