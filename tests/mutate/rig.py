"""What mutants are tried with: the library's objects, the tests' programs, and
which function and line of lib/ each test reaches (by gcov, of an unoptimized
build; a test that never enters a mutant's function cannot notice it).  All of
it is built once, in a folder of the caller's; nothing else is written.
"""

import concurrent.futures
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
# Waits for the clock, or tests the program rather than the library.
NOT_USED = {'check_race', 'check_program'}


def words(command, **more):
    return subprocess.run(command, shell=isinstance(command, str), check=True,
                          text=True, stdout=subprocess.PIPE,
                          **more).stdout.split()


def must(command, **more):
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True,
                          check=False, **more)
    if done.returncode:
        raise RuntimeError(f'{" ".join(command)}\n{done.stderr}')


class Reach:
    """The functions a test enters and the lines it runs, of each file."""

    def __init__(self, text):
        self.functions, self.lines = {}, {}
        for document in text.splitlines():
            for file in json.loads(document)['files']:
                name = file['file']
                if not name.startswith('lib/'):
                    continue
                self.functions.setdefault(name, set()).update(
                    f['name'] for f in file['functions']
                    if f['execution_count'])
                self.lines.setdefault(name, set()).update(
                    line['line_number'] for line in file['lines']
                    if line['count'])


class Rig:
    """The library's objects and the tests' programs, built once."""

    def __init__(self, build, top, jobs):
        self.top, self.build = top, build
        self.tirpc = words('pkg-config --cflags libtirpc')
        self.lib = [f'lib/{os.path.basename(p)}'
                    for p in sorted(glob.glob(f'{ROOT}/lib/*.c'))]
        self.base = self.tree('base')
        self.depends = {n: self.depends_of(n) for n in self.lib}
        self.xdr = []
        for path in glob.glob(f'{build}/xdr/*read_plus*.c') + \
                glob.glob(f'{build}/gen/readplus/*xdr.c'):
            self.xdr.append(f'{top}/{os.path.basename(path)}.o')
            must(self.compiler() + ['-c', path, '-o', self.xdr[-1]],
                 cwd=self.base)
        self.objects = {}
        for name in self.lib:
            self.objects[name] = f'{top}/{os.path.basename(name)}.o'
            if not self.compiled(self.base, name, self.objects[name],
                                 '-O1'):
                raise RuntimeError(f'{name} does not compile')
        self.link(self.base, self.objects)
        self.build_reach()
        self.tests, self.own, self.reach = {}, {}, {}
        names = [os.path.basename(path)[:-2] for path in
                 sorted(glob.glob(f'{ROOT}/tests/check_*.c'))]
        self.locks = {name: threading.Lock() for name in names}
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

    # --- the library, always compiled from its tree's top ------------------

    def compiler(self, name='tests/'):
        flags = ['gcc', '-w', '-std=c11', '-fPIC', '-Iinclude',
                 f'-I{self.build}/gen', f'-I{self.build}',
                 '-D_FILE_OFFSET_BITS=64', *self.tirpc]
        if name.startswith('lib/'):
            extra = ['-D_DEFAULT_SOURCE'] if name == 'lib/rpc.c' else []
            return flags + extra + ['-fvisibility=hidden']
        return flags + ['-O1', '-D_GNU_SOURCE', '-Itests/plain', '-I.',
                        f'-I{ROOT}', '-pthread', f'-DTOP_SRCDIR="{ROOT}"',
                        f'-DVECTORS_DIR="{ROOT}/tests/vectors"',
                        f'-DCAPTURES="{ROOT}/tests/captures/replies.txt"']

    def compiled(self, tree, name, to, *flags):
        """Compiles unit `name` of `tree`; false where it does not compile."""
        return subprocess.run(
            self.compiler(name) + ['-c', name, '-o', to, *flags],
            cwd=tree, stderr=subprocess.DEVNULL, check=False).returncode == 0

    def link(self, tree, objects):
        must(['ld', '-shared', '-o', f'{tree}/libmutant.so',
              *objects.values(), *self.xdr, '-ltirpc',
              *[f'-L{d}' for d in self.library_dirs()]])

    def library_dirs(self):
        if not hasattr(self, 'dirs'):
            found = words(['gcc', '-print-file-name=libtirpc.so'])[0]
            self.dirs = [os.path.dirname(found)] if '/' in found else []
        return self.dirs

    def depends_of(self, name):
        found = words(self.compiler(name) + ['-MM', name], cwd=self.base)
        return {os.path.normpath(w) for w in found
                if os.path.normpath(w).startswith('lib/')}

    # --- the tests ---------------------------------------------------------

    def program(self, tree, name):
        """Builds test `name` of `tree`; false where it does not compile."""
        sources = [f'tests/{name}.c']
        if name.startswith('check_vectors'):
            with open(f'{ROOT}/tests/vectors/local.mk',
                      encoding='ascii') as file:
                sources += [f'{ROOT}/{w}' for w in re.findall(
                    r'^vector_sources \+= (\S+\.c)', file.read(), re.M)]
        command = self.compiler() + [*sources, '-o', name, f'-L{self.base}',
                                     '-lmutant', '-ltirpc']
        # The stand-in for Check is faster, but does not do for all.
        return any(
            subprocess.run(c, stderr=subprocess.DEVNULL, cwd=tree,
                           check=False).returncode == 0
            for c in (command, [w for w in command if w != '-Itests/plain'] +
                      words('pkg-config --libs check')))

    def add_test(self, name):
        if name in NOT_USED or name.startswith('check_nfs42'):
            return
        if not self.program(self.base, name):
            print(f'not used, does not build: {name}', flush=True)
            return
        status, took, waited = self.run(self.base, f'{self.base}/{name}',
                                        (60, 300))
        if status != 0:
            print(f'not used, fails: {name}', flush=True)
            return
        self.tests[name] = (took, waited)
        own = self.depends_of(f'tests/{name}.c')
        if own:
            self.own[name] = own

    def limits(self, test):
        """Processor and clock seconds that a test may take."""
        took, waited = self.tests[test]
        return 0.5 + 5 * took, int(20 + 10 * waited)

    def run(self, tree, program, limits, **more):
        """A test's exit status, the processor seconds and the time it took."""
        def limit():
            signal.setitimer(signal.ITIMER_PROF, limits[0])
            signal.alarm(limits[1])  # for what waits for ever
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        before = time.monotonic()
        with subprocess.Popen(
                [program], cwd=tree, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, preexec_fn=limit,
                env={**os.environ, 'LD_LIBRARY_PATH': tree,
                     'READPLUS_SLOW': '1', 'CK_FORK': 'no',
                     'READPLUS_TEST_DIR': tree, **more}) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return (process.returncode, used.ru_utime + used.ru_stime,
                time.monotonic() - before)

    # --- what a test reaches -----------------------------------------------

    def build_reach(self):
        to = f'{self.top}/reach'
        os.mkdir(to)
        objects = [f'{to}/{os.path.basename(n)}.o' for n in self.lib]
        for name, out in zip(self.lib, objects):
            if not self.compiled(self.base, name, out, '-O0', '--coverage',
                                 '-fprofile-update=atomic'):
                raise RuntimeError(f'{name} does not compile for gcov')
        must(['gcc', '--coverage', '-shared', '-o', f'{to}/libmutant.so',
              *objects, *self.xdr, '-ltirpc'])

    def reached(self, test):
        """What `test` reaches, found out when it is first asked for."""
        with self.locks[test]:
            if test not in self.reach:
                to = f'{self.top}/reach/{test}'
                os.mkdir(to)
                status, _, _ = self.run(
                    f'{self.top}/reach', f'{self.base}/{test}', (300, 590),
                    GCOV_PREFIX=to, GCOV_PREFIX_STRIP=str(
                        len(f'{self.top}/reach'.strip('/').split('/'))))
                for note in glob.glob(f'{self.top}/reach/*.gcno'):
                    os.symlink(note, f'{to}/{os.path.basename(note)}')
                counts = glob.glob(f'{to}/*.gcda')
                # None where it needs no more of lib/ than headers.
                found = '' if not counts else subprocess.run(
                    ['gcov', '-j', '-t', *counts],
                    cwd=self.base, check=True, text=True,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
                shutil.rmtree(to)
                # One that fails under gcov tells nothing: it is always tried.
                self.reach[test] = Reach(found) if status == 0 else None
            return self.reach[test]
