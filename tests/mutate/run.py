#!/usr/bin/env python3
"""Puts each mutant of lib/ into the library and sees which tests notice.

    run.py [--build DIR] [--files FILE,...] [--sample N] [--seconds S]
           [--seed S] [--jobs N] [--known FILE] [--changed BASE]
           [--least PERCENT]

Needs a configured and built tree in DIR (for the generated headers).  What
compiles to the same code as the original, or as another mutant, is not
counted.  A mutant is killed by the first test that fails, crashes, or takes
ten times its processor time.  Exit 1 if one survives that is not known, or,
with --least, if fewer than so many percent are killed.
Everything made is in a folder of its own in /dev/shm, removed at the end.
"""

import argparse
import concurrent.futures
import glob
import hashlib
import os
import random
import re
import resource
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

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
# Waits for the clock, or tests the program rather than the library.
NOT_USED = {'check_race', 'check_program'}


def words(command):
    return subprocess.run(command, shell=True, check=True, text=True,
                          stdout=subprocess.PIPE).stdout.split()


class Rig:
    """The library's objects and the tests' programs, built once."""

    def __init__(self, build, top, jobs):
        self.top, self.lock, self.kills = top, threading.Lock(), {}
        self.build = build
        self.tirpc = words('pkg-config --cflags libtirpc')
        self.lib = [f'lib/{os.path.basename(p)}'
                    for p in sorted(glob.glob(f'{ROOT}/lib/*.c'))]
        self.base = self.tree('base')
        xdr = [p for p in glob.glob(f'{build}/xdr/*read_plus*.c')
               + glob.glob(f'{build}/gen/readplus/*xdr.c')]
        self.xdr = []
        for path in xdr:
            out = f'{top}/{os.path.basename(path)}.o'
            self.must(self.compiler(self.base) + ['-c', path, '-o', out])
            self.xdr.append(out)
        self.objects, self.depends = {}, {}
        for name in self.lib:
            self.objects[name] = f'{top}/{os.path.basename(name)}.o'
            self.must(self.compiler(self.base, name) +
                      ['-c', f'{self.base}/{name}', '-o', self.objects[name]])
            self.depends[name] = self.depends_of(name)
        self.link(self.base, self.objects)
        self.tests, self.own = {}, {}
        names = [os.path.basename(path)[:-2] for path in
                 sorted(glob.glob(f'{ROOT}/tests/check_*.c'))]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.add_test, names))

    def tree(self, name):
        """A copy of what mutants change and tests include."""
        to = f'{self.top}/{name}'
        for part in ('lib', 'include', 'tests'):
            shutil.copytree(f'{ROOT}/{part}', f'{to}/{part}',
                            ignore=lambda d, names: [
                                n for n in names
                                if not re.search(r'\.[ch]$', n) and
                                not os.path.isdir(f'{d}/{n}')])
        return to

    def compiler(self, tree, name='tests/'):
        flags = ['gcc', '-w', '-std=c11', '-fPIC', f'-I{tree}/include',
                 f'-I{self.build}/gen', f'-I{self.build}',
                 '-D_FILE_OFFSET_BITS=64', *self.tirpc]
        if name.startswith('lib/'):
            extra = ['-D_DEFAULT_SOURCE'] if name == 'lib/rpc.c' else []
            return flags + extra + ['-O2', '-fvisibility=hidden']
        return flags + ['-O1', '-D_GNU_SOURCE', f'-I{tree}/tests/plain',
                        f'-I{tree}', f'-I{ROOT}', '-pthread',
                        f'-DTOP_SRCDIR="{ROOT}"',
                        f'-DVECTORS_DIR="{ROOT}/tests/vectors"',
                        f'-DCAPTURES="{ROOT}/tests/captures/replies.txt"']

    @staticmethod
    def must(command):
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode:
            raise RuntimeError(f'{" ".join(command)}\n{done.stderr}')

    def depends_of(self, name):
        found = words(' '.join(["'" + w + "'" for w in
                                self.compiler(self.base, name)]) +
                      f' -MM {self.base}/{name}')
        return {os.path.relpath(os.path.realpath(w), self.base)
                for w in found if '/lib/' in w}

    def link(self, tree, objects):
        self.must(['gcc', '-shared', '-o', f'{tree}/libmutant.so',
                   *objects.values(), *self.xdr, '-ltirpc'])

    def program(self, tree, name):
        """Builds test `name` of `tree`; false where it does not compile."""
        sources = [f'{tree}/tests/{name}.c']
        if name.startswith('check_vectors'):
            with open(f'{ROOT}/tests/vectors/local.mk',
                      encoding='ascii') as file:
                sources += [f'{ROOT}/{w}' for w in re.findall(
                    r'^vector_sources \+= (\S+\.c)', file.read(), re.M)]
        command = self.compiler(tree) + [*sources, '-o', f'{tree}/{name}',
                                         f'-L{self.base}', '-lmutant',
                                         '-ltirpc']
        # The stand-in for Check is faster, but does not do for all.
        plain = f'-I{tree}/tests/plain'
        return any(
            subprocess.run(c, stderr=subprocess.DEVNULL,
                           check=False).returncode == 0
            for c in (command, [w for w in command if w != plain] +
                      words('pkg-config --libs check')))

    def add_test(self, name):
        if name in NOT_USED or name.startswith('check_nfs42'):
            return
        if not self.program(self.base, name):
            print(f'not used, does not build: {name}', flush=True)
            return
        took = self.run(self.base, f'{self.base}/{name}', 60)
        if took is None:
            print(f'not used, fails: {name}', flush=True)
            return
        self.tests[name] = took
        own = self.depends_of(f'tests/{name}.c')
        if own:
            self.own[name] = own

    def run(self, tree, program, limit):
        """Processor seconds it took, or None where it failed."""
        def limits():
            signal.setitimer(signal.ITIMER_PROF, limit)
            signal.alarm(300)  # for what waits for ever
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        before = time.monotonic()
        status = subprocess.run(
            [program], cwd=tree, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, preexec_fn=limits, check=False,
            env={**os.environ, 'LD_LIBRARY_PATH': tree, 'READPLUS_SLOW': '1',
                 'CK_FORK': 'no',
                 'READPLUS_TEST_DIR': tree}).returncode
        return time.monotonic() - before if status == 0 else None

    def order(self, name):
        """Tests of the same name first, then who killed often, then fast."""
        stem = 'check_' + re.sub(r'\.[ch]$', '', os.path.basename(name))
        kills = self.kills.get(name, {})
        return sorted(self.tests, key=lambda t: (
            -kills.get(t, 0) / (0.01 + self.tests[t]),
            not t.startswith(stem), self.tests[t]))


def code_of(path):
    """What of an object makes it the same program."""
    subprocess.run(['objcopy', '-R', '.comment', '-R', '.note*', path],
                   check=False)
    with open(path, 'rb') as file:
        return hashlib.sha1(file.read()).hexdigest()


class Worker:
    """One tree, into which one mutant after the other is put."""

    def __init__(self, rig, number):
        self.rig, self.tree = rig, rig.tree(f'w{number}')

    def judge(self, name, source, k, seen):
        with open(f'{self.tree}/{name}', 'w', encoding='ascii') as file:
            file.write(source.apply(k))
        try:
            return self.built(name, seen)
        finally:
            with open(f'{self.tree}/{name}', 'w', encoding='ascii') as file:
                file.write(source.text)

    def built(self, name, seen):
        objects, codes = dict(self.rig.objects), []
        for unit in self.rig.lib:
            if name not in self.rig.depends[unit]:
                continue
            objects[unit] = f'{self.tree}/{os.path.basename(unit)}.o'
            if subprocess.run(self.rig.compiler(self.tree, unit) +
                              ['-c', unit, '-o', objects[unit]],
                              cwd=self.tree, stderr=subprocess.DEVNULL,
                              check=False).returncode:
                return 'stillborn', ''
            codes.append(code_of(objects[unit]))
        code = ' '.join(codes)
        with self.rig.lock:
            if code in seen:
                return 'same code', ''
            seen.add(code)
        self.rig.link(self.tree, objects)
        return self.tried(name)

    def tried(self, name):
        for test in self.rig.order(name):
            program = f'{self.rig.base}/{test}'
            if name in self.rig.own.get(test, ()):
                if not self.rig.program(self.tree, test):
                    return 'stillborn', ''
                program = f'{self.tree}/{test}'
            if self.rig.run(self.tree, program,
                            0.5 + 10 * self.rig.tests[test]) is None:
                with self.rig.lock:
                    kills = self.rig.kills.setdefault(name, {})
                    kills[test] = kills.get(test, 0) + 1
                return 'killed', test
        return 'survived', ''


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


def judge_all(options, rig, sources):
    todo = iter(chosen(options, sources))
    ends = time.monotonic() + options.seconds
    seen = {name: set() for name in sources}
    for name in sources:
        seen[name].add(' '.join(code_of(rig.objects[u]) for u in rig.lib
                                if name in rig.depends[u]))
    found = []

    def work(number):
        worker = Worker(rig, number)
        while time.monotonic() < ends:
            with rig.lock:
                mutant = next(todo, None)
            if mutant is None:
                break
            name, k = mutant
            verdict, who = worker.judge(name, sources[name], k, seen[name])
            found.append((name, k, verdict, who))
            if verdict == 'survived':
                print(f'survived: {name} | {sources[name].name(k)}',
                      flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for task in [pool.submit(work, n) for n in range(options.jobs)]:
            task.result()
    return found


def report(found, known, sources):
    unknown = 0
    print(f'{"file":22} mutants killed survived (known)  same stillborn')
    for name in sorted({f[0] for f in found}) + ['all']:
        mine = [f for f in found if name in (f[0], 'all')]
        count = {v: sum(f[2] == v for f in mine) for v in
                 ('killed', 'survived', 'same code', 'stillborn')}
        listed = sum(f'{f[0]} | {sources[f[0]].name(f[1])}' in known
                     for f in mine if f[2] == 'survived')
        unknown = count['survived'] - listed
        print(f'{name:22} {count["killed"] + count["survived"]:7} '
              f'{count["killed"]:6} {count["survived"]:8} ({listed})'
              f' {count["same code"]:6} {count["stillborn"]}')
    return unknown


def main():
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
    options = parser.parse_args()
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
        found = judge_all(options, rig, sources)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    unknown = report(found, known_names(options.known), sources)
    killed = sum(f[2] == 'killed' for f in found)
    if killed + unknown == 0:
        print('no mutant was tried')
        return 1
    score = 100 * killed / (killed + unknown)
    print(f'{score:.1f} % of those that are not known to survive are killed')
    return 0 if score >= options.least else 1


if __name__ == '__main__':
    sys.exit(main())
