#!/usr/bin/env python3
"""Puts small faults into what is proved, and sees whether the proofs refuse.

    mutants.py [--sample N] [--seed S] [--seconds S] [--timeout S]
               [--machine NAME] [--files FILE,...] [--verbose]

The faults are those of tests/mutate, in the functions that the file
`functions` names; what gcc -O2 or -O0 makes the same code of is not counted.
For each, the contract of the function it is in is proved again, in the time
that is enough for it as it is; refused is what leaves a goal unproved.  Prints
each mutant that is accepted.  CACHE names a folder that keeps what the provers
found.
"""

import argparse
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, f'{ROOT}/tests/mutate')
from mutants import Source  # noqa: E402

WRONG = re.compile(r'guaranteed RTE|Doomed|\] Failed|\[Failed\]|admit|'
                   r'annot-error', re.I)


def functions():
    """{function: the file in which it is proved}, as prove.sh reads it."""
    proved = {}
    with open(f'{ROOT}/tests/proof/functions', encoding='ascii') as file:
        for line in file:
            words = line.split()
            if words and words[0].startswith('lib/'):
                proved.update((name, words[0]) for name in words[1:])
    return proved


class Rig:
    """A copy of the sources, into which one mutant after the other is put."""

    def __init__(self, top, options):
        self.top, self.options = top, options
        for part in ('lib', 'include'):
            shutil.copytree(f'{ROOT}/{part}', f'{top}/{part}')
        # Frama-C looks for files where PWD says.
        self.environment = {**os.environ, 'HOME': top, 'PWD': top}
        subprocess.run(['why3', 'config', 'detect'], env=self.environment,
                       check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        self.cache = os.environ.get('CACHE') or f'{top}/cache'
        os.makedirs(self.cache, exist_ok=True)
        self.known = {}

    def sound(self, unit, function):
        """Whether the function proves as it is, in the time that mutants get:
        else their refusal would say nothing."""
        if function not in self.known:
            self.known[function] = self.proves(unit, function)
            if not self.known[function]:
                print(f'left out, needs longer: {function}', flush=True)
        return self.known[function]

    def code(self, unit, level):
        """What the compiler makes of a file; '' where it refuses it."""
        out = f'{self.top}/mutant.o'
        done = subprocess.run(
            ['gcc', '-w', '-std=c11', level, '-Iinclude', '-Ilib',
             '-fkeep-static-functions', '-fkeep-inline-functions', '-c', unit,
             '-o', out], cwd=self.top, check=False, stderr=subprocess.DEVNULL)
        if done.returncode:
            return ''
        subprocess.run(['objcopy', '-R', '.comment', '-R', '.note*', out],
                       check=False)
        with open(out, 'rb') as file:
            return hashlib.sha1(file.read()).hexdigest()

    def proves(self, unit, function):
        """Whether Frama-C proves `function`; it is stopped at the first goal
        that it does not."""
        process = subprocess.Popen(
            ['frama-c', '-c11', '-cpp-extra-args=-Iinclude -Ilib', '-machdep',
             self.options.machine, unit, '-wp', '-wp-rte', '-wp-model',
             'typed+cast', '-wp-split', '-wp-fct', function, '-wp-prover',
             'cvc4,z3-ce', '-wp-timeout', str(self.options.timeout),
             '-wp-par', '2', '-wp-cache', 'update', '-wp-cache-dir',
             self.cache], cwd=self.top, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        all_of_them = False
        for line in process.stdout:
            goals = re.search(r'Proved goals: *(\d+) / (\d+)', line)
            all_of_them |= goals is not None and goals[1] == goals[2]
            if WRONG.search(line):
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
                return False
        return process.wait() == 0 and all_of_them


def chosen(options, proved):
    """(file, mutant, function) of all that may be tried, in random order."""
    every, sources = [], {}
    for name in sorted(os.listdir(f'{ROOT}/lib')):
        path = f'lib/{name}'
        if not name.endswith(('.c', '.h')) or \
                options.files and path not in options.files.split(','):
            continue
        with open(f'{ROOT}/{path}', encoding='ascii') as file:
            sources[path] = source = Source(file.read())
        for k in range(len(source.mutants)):
            function = source.function(k)
            # A name that two files have is proved in one of them.
            if function in proved and (name.endswith('.h') or
                                       proved[function] == path):
                every.append((path, k, function))
    random.Random(options.seed).shuffle(every)
    return every, sources


def judge(rig, unit, function, codes):
    """One mutant, which is in its place: what the proofs say of it."""
    mine = [rig.code(unit, level) for level in ('-O2', '-O0')]
    if '' in mine:
        return 'stillborn'
    if mine[0] == codes[unit][0] or mine[1] == codes[unit][1]:
        return 'same code'
    return 'accepted' if rig.proves(unit, function) else 'refused'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--sample', type=int, default=100)
    parser.add_argument('--seed', default='1')
    parser.add_argument('--seconds', type=int, default=86400)
    parser.add_argument('--timeout', type=int, default=10)
    parser.add_argument('--machine', default='gcc_x86_64')
    parser.add_argument('--files', default='')
    parser.add_argument('--verbose', action='store_true')
    options = parser.parse_args()
    proved = functions()
    every, sources = chosen(options, proved)
    ends = time.monotonic() + options.seconds
    count, tried = {}, 0
    top = tempfile.mkdtemp(prefix='readplus-proof.')
    try:
        rig = Rig(top, options)
        codes = {unit: [rig.code(unit, level) for level in ('-O2', '-O0')]
                 for unit in set(proved.values())}
        for path, k, function in every:
            if tried == options.sample or time.monotonic() > ends:
                break
            if not rig.sound(proved[function], function):
                continue
            with open(f'{top}/{path}', 'w', encoding='ascii') as file:
                file.write(sources[path].apply(k))
            verdict = judge(rig, proved[function], function, codes)
            with open(f'{top}/{path}', 'w', encoding='ascii') as file:
                file.write(sources[path].text)
            count[verdict] = count.get(verdict, 0) + 1
            tried += verdict not in ('stillborn', 'same code')
            if verdict == 'accepted' or options.verbose:
                print(f'{verdict}: {path} | {sources[path].name(k)}',
                      flush=True)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print(f'{len(every)} mutants of proved functions; tried {tried}: ' +
          ', '.join(f'{n} {v}' for v, n in sorted(count.items())))
    return 0 if tried else 1


if __name__ == '__main__':
    sys.exit(main())
