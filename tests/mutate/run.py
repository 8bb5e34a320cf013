#!/usr/bin/env python3
"""Puts each mutant of lib/ into the library and sees which tests notice.

    run.py [--build DIR] [--files FILE,...] [--sample N] [--seconds S]
           [--seed S] [--jobs N] [--known FILE] [--changed BASE]
           [--least PERCENT] [--state FILE]

Needs a configured and built tree in DIR (for the generated headers).  What
compiles to the same code as the original, or as another mutant, is not
counted.  A mutant is killed by the first test that fails, crashes, or takes
five times its processor time.  Tests that never enter its function are left
out.  The quick tests come first, for all mutants; what they do not notice is
printed as "open" and tried with the long ones at the end.  Exit 1 if one
survives that is not known, or, with --least, if fewer than so many percent are
killed.  What was left open for want of time counts as a survivor.
With --state, each result is a line at the end of FILE, and what is there of
the same source is not tried again, but for unknown survivors of other tests.
Everything else made is in a folder of its own in /dev/shm, removed at the end.
"""

import argparse
import concurrent.futures
import glob
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mutants import Source  # noqa: E402
from rig import ROOT, Rig   # noqa: E402

# Processor seconds that a quick test may take; one that bears the file's name
# counts as quick.
QUICK = 0.25
# Processor seconds of tests, until a mutant is compared with the original.
PATIENCE = 0.05


def digest(*paths):
    text = hashlib.sha1()
    for path in paths:
        with open(path, 'rb') as file:
            text.update(file.read())
    return text.hexdigest()[:16]


class Results:
    """What was found out, in this run and, with a file, in those before."""

    def __init__(self, path, rig, sources, known):
        self.lock, self.first = threading.Lock(), threading.Lock()
        self.found = {name: {} for name in sources}
        self.seen = {name: set() for name in sources}
        self.chance = {}
        self.known = {(name, k) for name, source in sources.items()
                      for k in range(len(source.mutants))
                      if f'{name} | {source.name(k)}' in known}
        mutants = os.path.join(os.path.dirname(__file__), 'mutants.py')
        self.key = {n: digest(mutants, f'{ROOT}/{n}', *[
            f'{ROOT}/{d}' for d in sorted(rig.depends.get(n, ()))])
                    for n in sources}
        self.tests = digest(*sorted(glob.glob(f'{ROOT}/tests/*.[ch]')))
        self.file = None
        if path:
            self.load(path)
            self.file = open(path, 'a', encoding='ascii')

    def load(self, path):
        if not os.path.exists(path):
            return
        with open(path, encoding='ascii') as file:
            for line in file:
                name, key, tests, k, verdict, who, code = \
                    line.rstrip('\n').split('\t')
                if self.key.get(name) == key and (
                        verdict not in ('survived', 'open') or
                        tests == self.tests or
                        (name, int(k)) in self.known):
                    self.found[name][int(k)] = (verdict, who)
                    self.seen[name].add(code)

    def add(self, name, k, verdict, who, code):
        with self.lock:
            self.found[name][k] = (verdict, who)
            if self.file:
                print(name, self.key[name], self.tests, k, verdict, who, code,
                      sep='\t', file=self.file, flush=True)

    def is_new(self, name, code):
        with self.lock:
            if code in self.seen[name]:
                return False
            self.seen[name].add(code)
            return True

    # --- how likely a test is to notice ------------------------------------

    def tried(self, name, function, test, killed):
        with self.lock:
            for key in ((name, test), (name, function, test)):
                kills, tries = self.chance.get(key, (0, 0))
                self.chance[key] = (kills + killed, tries + 1)

    def likely(self, name, function, test, before):
        kills, tries = self.chance.get((name, test), (0, 0))
        before = (kills + 3 * before) / (tries + 3)
        kills, tries = self.chance.get((name, function, test), (0, 0))
        return (kills + 2 * before) / (tries + 2)


class Worker:
    """One tree, into which one mutant after the other is put."""

    def __init__(self, rig, results, number):
        self.rig, self.results = rig, results
        self.tree = rig.tree(f'w{number}')

    def judge(self, name, source, k, late):
        with open(f'{self.tree}/{name}', 'w', encoding='ascii') as file:
            file.write(source.apply(k))
        try:
            verdict, who, code = self.built(name, source, k, late)
        finally:
            with open(f'{self.tree}/{name}', 'w', encoding='ascii') as file:
                file.write(source.text)
        self.results.add(name, k, verdict, who, code)
        return verdict

    def code(self, tree, name, flag):
        """Objects of the units that hold `name`, and what tells their code
        from others'; None where one does not compile."""
        objects, codes = {}, []
        for unit in self.rig.lib:
            if name not in self.rig.depends[unit]:
                continue
            objects[unit] = f'{self.tree}/{os.path.basename(unit)}.o'
            if not self.rig.compiled(tree, unit, objects[unit], flag):
                return objects, None
            codes.append(digest(objects[unit]))
        return objects, flag + hashlib.sha1(
            ' '.join(codes).encode()).hexdigest()

    def original(self, name, flag):
        self.results.is_new(name, self.code(self.rig.base, name, flag)[1])

    def built(self, name, source, k, late):
        # Most of the time goes to the compiler: -O0 takes half of what -O1
        # does, but long tests are faster of optimized code.
        objects, code = self.code(self.tree, name, '-O1' if late else '-O0')
        if code is None:
            return 'stillborn', '', ''
        if not late and not self.results.is_new(name, code):
            return 'same code', '', code
        self.rig.link(self.tree, {**self.rig.objects, **objects})
        verdict, who = self.tried(name, source.function(k), source.line(k),
                                  late)
        if verdict == 'open' and not self.differs(name, '-O2'):
            verdict = 'same code'
        return verdict, who, code

    def tried(self, name, function, line, late):
        spent = 0
        for test in self.order(name, function, line):
            quick = self.rig.tests[test][0] <= QUICK or self.is_of(test, name)
            if late == quick or not self.reaches(test, name, function):
                continue
            # What the likeliest do not notice may not be another program.
            if not late and spent <= PATIENCE < spent + \
                    self.rig.tests[test][0] and not self.differs(name, '-O1'):
                return 'same code', ''
            spent += self.rig.tests[test][0]
            if self.notices(test, name, function, line):
                return 'killed', test
        return 'survived' if late else 'open', ''

    def differs(self, name, flag):
        """Whether it is another program when optimized, too."""
        with self.results.first:
            if self.results.is_new(name, f'original {flag}'):
                self.original(name, flag)
        return self.results.is_new(name, self.code(self.tree, name, flag)[1])

    @staticmethod
    def is_of(test, name):
        return test.startswith(
            'check_' + re.sub(r'\.[ch]$', '', os.path.basename(name)))

    def order(self, name, function, line):
        """The tests, by the chance that they notice to what they cost."""
        def worth(test):
            cost = 0.01 + self.rig.tests[test][0]
            if name in self.rig.own.get(test, ()):
                cost += 0.5
            before = 0.5 if self.is_of(test, name) else 0.2
            reach = self.rig.reach.get(test)
            if reach and line not in reach.lines.get(name, ()):
                before = 0.001
            return self.results.likely(name, function, test, before) / cost
        return sorted(self.rig.tests, key=worth, reverse=True)

    def reaches(self, test, name, function):
        reach = self.rig.reached(test)
        if reach is None or name in self.rig.own.get(test, ()):
            return True
        if function:
            return function in reach.functions.get(name, ())
        return any(reach.functions.get(unit) for unit in self.rig.lib
                   if name in self.rig.depends[unit])

    def notices(self, test, name, function, line):
        program = f'{self.rig.base}/{test}'
        if name in self.rig.own.get(test, ()):
            if not self.rig.program(self.tree, test):
                return False
            program = f'{self.tree}/{test}'
        limits = self.rig.limits(test)
        status = self.rig.run(self.tree, program, limits)[0]
        reach = self.rig.reach[test]
        if status == -signal.SIGALRM or status and reach and \
                line not in reach.lines.get(name, ()):
            # Not if the test or the machine is to blame.
            if self.rig.run(self.rig.base, f'{self.rig.base}/{test}',
                            limits)[0]:
                status = 0
            elif status != -signal.SIGALRM:
                status = self.rig.run(self.tree, program, limits)[0]
        self.results.tried(name, function, test, status != 0)
        return status != 0


def known_names(path):
    """Survivors that are known: lines that begin with lib/."""
    try:
        with open(path, encoding='ascii') as file:
            return {line.rstrip('\n') for line in file
                    if line.startswith('lib/')}
    except FileNotFoundError:
        return set()


def changed_lines(base):
    """{(file, line)} of lib/ that differ from commit `base`."""
    lines, name = set(), ''
    diff = subprocess.run(['git', '-C', ROOT, 'diff', '-U0', base, '--',
                           'lib'], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    for line in diff.splitlines():
        if line.startswith('+++ b/'):
            name = line[6:]
        found = re.match(r'@@ -\S+ \+(\d+)(?:,(\d+))?', line)
        if found:
            first, count = int(found[1]), int(found[2] or 1)
            lines |= {(name, n) for n in range(first, first + count)}
    return lines


def chosen(options, sources):
    """(file, number) of the mutants to try, in order."""
    every = [(name, k) for name, s in sources.items()
             for k in range(len(s.mutants))]
    if not options.sample and not options.changed:
        return every
    random.Random(options.seed).shuffle(every)
    first = []
    if options.changed:
        lines = changed_lines(options.changed)
        first = [m for m in every
                 if (m[0], sources[m[0]].line(m[1])) in lines]
    rest = [m for m in every if m not in set(first)]
    return (first + rest)[:options.sample or len(first)]


def judge_all(options, rig, results, sources):
    order = chosen(options, sources)
    begun = time.monotonic()
    workers = [Worker(rig, results, n) for n in range(options.jobs)]
    for name in sources:
        workers[0].original(name, '-O0')
    lock = threading.Lock()

    def work(worker, todo, late):
        # A sample that fills its time keeps some of it for the long tests.
        share = 0.6 if options.sample and not late else 1
        while time.monotonic() < begun + share * options.seconds:
            with lock:
                name, k = next(todo, (None, 0))
            if name is None:
                break
            verdict = worker.judge(name, sources[name], k, late)
            if verdict in ('open', 'survived'):
                print(f'{verdict}: {name} | {sources[name].name(k)}',
                      flush=True)

    for late in (False, True):
        todo = iter([(name, k) for name, k in order if
                     results.found[name].get(k, (None,))[0] ==
                     ('open' if late else None)])
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for task in [pool.submit(work, w, todo, late) for w in workers]:
                task.result()


def report(results, known, sources):
    """Prints the table; returns killed, and survivors that are not known."""
    every = [(name, k, found[0]) for name in sources
             for k, found in results.found[name].items()]
    every = [(n, k, 'survived' if v == 'open' else v) for n, k, v in every]
    print(f'{"file":22} mutants killed survived (known)  same stillborn')
    for name in sorted({f[0] for f in every}) + ['all']:
        mine = [f for f in every if name in (f[0], 'all')]
        count = {v: sum(f[2] == v for f in mine) for v in
                 ('killed', 'survived', 'same code', 'stillborn')}
        listed = sum(f'{f[0]} | {sources[f[0]].name(f[1])}' in known
                     for f in mine if f[2] == 'survived')
        print(f'{name:22} {count["killed"] + count["survived"]:7} '
              f'{count["killed"]:6} {count["survived"]:8} ({listed})'
              f' {count["same code"]:6} {count["stillborn"]}')
    return count['killed'], count['survived'] - listed


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', default='build')
    parser.add_argument('--files', default='')
    parser.add_argument('--sample', type=int, default=0)
    parser.add_argument('--seconds', type=int, default=86400)
    parser.add_argument('--seed', default='1')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--changed', default='')
    parser.add_argument('--least', type=float, default=100)
    parser.add_argument('--known', default=f'{ROOT}/tests/mutate/survivors')
    parser.add_argument('--state', default='')
    return parser.parse_args()


def main():
    options = arguments()
    names = options.files.split(',') if options.files else sorted(
        'lib/' + os.path.basename(p) for p in glob.glob(f'{ROOT}/lib/*.[ch]'))
    sources = {}
    for name in names:
        with open(f'{ROOT}/{name}', encoding='ascii') as file:
            sources[name] = Source(file.read())
    top = tempfile.mkdtemp(prefix='readplus-mutate.', dir='/dev/shm')
    try:
        rig = Rig(os.path.abspath(options.build), top, options.jobs)
        print(f'{len(rig.tests)} test programs', flush=True)
        known = known_names(options.known)
        results = Results(options.state, rig, sources, known)
        judge_all(options, rig, results, sources)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    killed, unknown = report(results, known, sources)
    if killed + unknown == 0:
        print('no mutant was tried')
        return 1
    score = 100 * killed / (killed + unknown)
    print(f'{score:.1f} % of those that are not known to survive are killed')
    return 0 if score >= options.least else 1


if __name__ == '__main__':
    sys.exit(main())
