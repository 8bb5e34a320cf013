#!/usr/bin/python3
"""Lines, branches and MC/DC per file, from what llvm-cov exports.

    llvm-cov export ... >JSON; llvm-cov export -format=lcov ... >LCOV
    report.py ROOT JSON LCOV UNREACHABLE GATED... -- SHOWN...

prints a table of the files under the folders GATED of ROOT and each gap there,
and fails if there is one that the file UNREACHABLE does not argue away, or if
a line of that argues away nothing; then a table of the files under SHOWN.

llvm-cov's own report judges an inline function of a header in each file that
uses it and keeps the best; here what any of them reached counts as reached,
since it is one piece of source.
"""
import collections
import json
import os
import sys


def is_macro(root, name, number):
    """Whether a line defines a macro: that counts where it is used."""
    with open(os.path.join(root, name)) as f:
        return f.read().split("\n")[number - 1].startswith("#")


def read_lines(root, path):
    """{file: {line: count}} of the files under root."""
    files = collections.defaultdict(dict)
    lines = None
    with open(path) as lcov:
        for line in lcov:
            key, _, value = line.rstrip("\n").partition(":")
            if key == "SF":
                lines = files[os.path.relpath(os.path.realpath(value), root)]
            elif key == "DA":
                number, count = value.split(",")[:2]
                number = int(number)
                lines[number] = lines.get(number, 0) + int(count)
    for name, lines in files.items():
        for number in [n for n, count in lines.items() if count == 0]:
            if is_macro(root, name, number):
                del lines[number]
    return files


def read_decisions(root, path):
    """({file: {(place, side): reached}}, {file: {(place, condition): shown}})

    A place is (line, column, last line, last column)."""
    branches = collections.defaultdict(dict)
    mcdc = collections.defaultdict(dict)
    with open(path) as exported:
        files = json.load(exported)["data"][0]["files"]
    for entry in files:
        name = os.path.relpath(os.path.realpath(entry["filename"]), root)
        for b in entry["branches"]:
            for side, count in (("true", b[4]), ("false", b[5])):
                key = (tuple(b[:4]), side)
                branches[name][key] = branches[name].get(key, False) or count > 0
        for m in entry["mcdc_records"]:
            for n, shown in enumerate(m[-1], 1):
                key = (tuple(m[:4]), n)
                mcdc[name][key] = mcdc[name].get(key, False) or shown
    return branches, mcdc


def read_unreachable(path):
    """[(file, source text, what)], lines `FILE: WHAT: TEXT`; # is a comment."""
    rows = []
    with open(path) as f:
        for line in f:
            if line.strip() and line[0] != "#":
                name, what, text = line.rstrip("\n").split(": ", 2)
                rows.append((name, what, text))
    return rows


def gaps(name, source, lines, branches, mcdc):
    """[(line, what, text)] that the tests leave open in one file."""
    found = [(n, "line", source[n - 1].strip())
             for n, count in sorted(lines.items()) if count == 0]
    for (place, side), reached in sorted(branches.items()):
        if not reached:
            found.append((place[0], side, text_of(source, place)))
    for (place, n), shown in sorted(mcdc.items()):
        if not shown:
            found.append((place[0], "condition %d" % n, text_of(source, place)))
    return found


def text_of(source, place):
    """The source between two places, on one line."""
    first, column, last, end = place
    if first == last:
        return source[first - 1][column - 1:end - 1]
    pieces = [source[first - 1][column - 1:]]
    pieces += source[first:last - 1]
    pieces.append(source[last - 1][:end - 1])
    return " ".join(p.strip() for p in pieces)


def cell(have, total):
    if total == 0:
        return "%16s" % "-"
    # Never rounded up to 100.
    return "%4d/%-4d %5.1f%%" % (have, total, int(1000 * have / total) / 10)


def row(name, counts):
    print("%-30s %s   %s   %s" % ((name,) + tuple(cell(*c) for c in counts)))


def table(names, tables):
    """Prints a row a file and their sum."""
    sums = [[0, 0], [0, 0], [0, 0]]
    for name in names:
        counts = []
        for total, by_file in zip(sums, tables):
            values = by_file.get(name, {}).values()
            counts.append((sum(1 for v in values if v), len(values)))
            total[0] += counts[-1][0]
            total[1] += counts[-1][1]
        row(name, counts)
    row("in all", sums)
    print()


def judge(root, names, rows, tables):
    """Prints what is neither reached nor argued away; how many those are."""
    used = set()
    failures = 0
    for name in names:
        with open(os.path.join(root, name)) as f:
            source = f.read().split("\n")
        for line, what, text in gaps(name, source,
                                     *(t.get(name, {}) for t in tables)):
            if (name, what, text) in rows:
                used.add((name, what, text))
                continue
            print("not reached: %s:%d: %s: %s" % (name, line, what, text))
            failures += 1
    for row_left in set(rows) - used:
        print("reached, or not there: %s: %s: %s" % row_left)
        failures += 1
    print("%d not reached, %d argued unreachable" % (failures, len(used)))
    return failures


def main(root, exported, lcov, unreachable, *folders):
    root = os.path.realpath(root)
    tables = (read_lines(root, lcov),) + read_decisions(root, exported)
    gated = folders[:folders.index("--")]
    shown = folders[folders.index("--") + 1:]

    def under(wanted):
        return sorted(n for n in tables[0]
                      if n.startswith(tuple(w + "/" for w in wanted)))

    print("%-34s %-18s %-18s %s" % ("", "lines", "branches", "MC/DC"))
    failures = 0
    if gated:
        table(under(gated), tables)
        failures = judge(root, under(gated), read_unreachable(unreachable),
                         tables)
    if shown:
        table(under(shown), tables)
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
