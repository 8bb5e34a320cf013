#!/usr/bin/env python3
"""The mutants of a C file: each a small fault, put in at one place.

    mutants.py list FILE        a line each: number, line, operator, old -> new
    mutants.py apply FILE K     the file with mutant K in it, to stdout
    mutants.py count FILE...    how many each file has

Works on tokens, so that it needs no compiler: what does not compile, or
compiles to what another one does, is left to the caller to sort out
(run.py does).  A mutant keeps the number of lines.  Never writes a file.
"""

import re
import sys

TOKEN = re.compile(r'''
    (?P<blank>\s+|/\*.*?\*/|//[^\n]*|\\\n)
  | (?P<hash>^[ \t]*\#[^\n]*(?<=\\)\n(?:[^\n]*\\\n)*[^\n]*|^[ \t]*\#[^\n]*)
  | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<op>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|.)
''', re.X | re.S | re.M)

# What stands for what.  Between operands only; see binary().
OPERATORS = {
    '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'],
    '==': ['!='], '!=': ['=='],
    '+': ['-'], '-': ['+'], '*': ['+'], '/': ['*'], '%': ['/'],
    '&': ['|'], '|': ['&'], '^': ['|'], '<<': ['>>'], '>>': ['<<'],
    '&&': ['||', '|| 0 &&'], '||': ['&&', '&& 1 || 0 &&'],
    '+=': ['-=', '='], '-=': ['+=', '='], '|=': ['&=', '='], '&=': ['|=', '='],
    '?': ['&& 0 ?', '|| 1 ?'],
}
NAMES = {
    'true': ['false'], 'false': ['true'],
    'min64': ['max64'], 'max64': ['min64'],
    'break': ['continue', ''], 'continue': ['break', ''],
    'READPLUS_CONTENT_DATA': ['READPLUS_CONTENT_HOLE'],
    'READPLUS_CONTENT_HOLE': ['READPLUS_CONTENT_DATA'],
    'READPLUS_OK': ['READPLUS_ERR_INVAL'],
    'READPLUS_END': ['READPLUS_OK'],
    'READPLUS_ERR_INVAL': ['READPLUS_ERR_STATE', 'READPLUS_OK'],
}
KEYWORDS = {'return', 'if', 'else', 'for', 'while', 'do', 'switch', 'case',
            'default', 'goto', 'break', 'continue', 'struct', 'union', 'enum',
            'typedef', 'static', 'extern', 'const', 'inline', 'sizeof',
            'unsigned', 'int', 'char', 'void', 'bool', 'size_t', 'long',
            'volatile', '_Static_assert'}
TYPES = re.compile(r'u?int\d+_t|size_t|ssize_t|off_t|unsigned|int|char|'
                   r'uintptr_t|void|bool')
CASTS = re.compile(r'u?int\d+_t|size_t|unsigned|off_t|ssize_t')
# Statements that only say something to the compiler or the cache.
SILENT = {'__builtin_prefetch', '__atomic_thread_fence'}


class Token:
    """One token: its text, kind, and place in the file."""

    def __init__(self, match):
        self.kind = match.lastgroup
        self.text = match.group()
        self.start, self.end = match.span()


class Mutant:
    """text[start:end] replaced by `new`."""

    def __init__(self, start, end, new, tag):
        self.start, self.end, self.new, self.tag = start, end, new, tag


class Source:
    """A file, its tokens and its mutants."""

    def __init__(self, text):
        self.text = text
        every = [Token(m) for m in TOKEN.finditer(text)]
        self.hashes = [t for t in every if t.kind == 'hash']
        self.tokens = [t for t in every if t.kind not in ('blank', 'hash')]
        self.pair = self.pairs()
        self.inside = self.functions()
        self.mutants = []
        for i, token in enumerate(self.tokens):
            self.at_token(i, token)
        for token in self.hashes:
            self.at_define(token)
        self.mutants.sort(key=lambda m: (m.start, m.end, m.new))

    def pairs(self):
        """For each bracket, the index of the one that belongs to it."""
        pair, stack = {}, []
        for i, token in enumerate(self.tokens):
            if token.text in ('(', '[', '{'):
                stack.append(i)
            elif token.text in (')', ']', '}'):
                other = stack.pop()
                pair[i], pair[other] = other, i
        return pair

    def functions(self):
        """For each token, the name of the function it is in, or ''."""
        inside = [''] * len(self.tokens)
        i = 0
        while i < len(self.tokens):
            if self.tokens[i].text == '{':
                end = self.pair[i]
                name = ''
                if self.is_op(i - 1, ')'):
                    before = self.tokens[self.pair[i - 1] - 1]
                    name = before.text if before.kind == 'name' else ''
                for k in range(i, end + 1):
                    inside[k] = name
                i = end
            i += 1
        return inside

    def is_op(self, i, text):
        return 0 <= i < len(self.tokens) and self.tokens[i].text == text

    def add(self, first, last, new, tag):
        self.mutants.append(Mutant(self.tokens[first].start,
                                   self.tokens[last].end, new, tag))

    def binary(self, i):
        """Whether the operator at i stands between two operands."""
        before = self.tokens[i - 1]
        if before.text == ')':
            cast = self.tokens[self.pair[i - 1] + 1]
            return not TYPES.fullmatch(cast.text) and \
                not cast.text in ('struct', 'const', 'enum')
        if before.text == ']' or before.kind in ('number', 'string'):
            return True
        if before.kind != 'name' or before.text in KEYWORDS or \
                TYPES.fullmatch(before.text):
            return False
        # A pointer's star: struct name *p, type *p.
        if self.tokens[i].text == '*' and i >= 2 and \
                self.tokens[i - 2].text in ('struct', 'union', 'enum', 'const'):
            return False
        return True

    # --- one token ---------------------------------------------------------

    def at_token(self, i, token):
        where = self.inside[i]
        if token.kind == 'op':
            if where and token.text in OPERATORS and self.binary(i):
                for new in OPERATORS[token.text]:
                    self.add(i, i, new, 'operator')
            elif where:
                self.at_unary(i, token)
            if token.text == '.' and self.tokens[i - 1].text in ('{', ','):
                self.at_designated(i)
        elif token.kind == 'number':
            self.at_number(i, token.text, token.start, token.end)
        elif token.kind == 'name':
            self.at_name(i, token.text)
        if where and (self.tokens[i - 1].text in ('{', '}', ';', ':', 'else')
                      or self.after_head(i)):
            self.at_statement(i)

    def at_unary(self, i, token):
        if token.text in ('!', '~') or \
                token.text == '-' and not self.is_op(i + 1, '1'):
            self.add(i, i, '', 'unary')
        if token.text in ('++', '--'):
            self.add(i, i, '--' if token.text == '++' else '++', 'step')
        cast = self.pair.get(i, 0) == i + 2 and token.text == '('
        if cast and CASTS.fullmatch(self.tokens[i + 1].text):
            self.add(i, i + 2, '', 'cast')

    def at_number(self, i, text, start, end):
        # Not an array's bound in a declaration: more room changes nothing.
        if i is not None and self.is_op(i - 1, '[') and \
                not self.inside[i]:
            return
        digits = re.match(r'0[xX][0-9a-fA-F]+|\d+', text).group()
        suffix = text[len(digits):]
        value = int(digits, 0)
        for new in sorted({value + 1, max(value - 1, 0), 0} - {value}):
            self.mutants.append(Mutant(start, end, f'{new}{suffix}',
                                       'constant'))

    def at_name(self, i, text):
        if text == 'if' and self.inside[i]:
            self.at_condition(i + 1, ('!({})', '({}, 1)', '({}, 0)'))
        elif text == 'while' and self.inside[i]:
            self.at_condition(i + 1, ('({}, 0)',))
        elif text in NAMES:
            if not self.is_op(i + 1, ',') or self.inside[i]:
                for new in NAMES[text]:
                    self.add(i, i, new, 'name')
        elif not self.inside[i]:
            return
        elif re.fullmatch(r'READPLUS_ERR_\w+', text):
            for new in ('READPLUS_ERR_INVAL', 'READPLUS_OK'):
                self.add(i, i, new, 'name')
        elif re.fullmatch(r'[A-Z][A-Z0-9_]*_(SIZE|AT|MIN|MAX|MOST|HEAD|BLOCK|'
                          r'WORDS)', text):
            self.add(i, i, f'({text} - 1)', 'constant')
            if not text.endswith('_MAX'):
                self.add(i, i, f'({text} + 1)', 'constant')
        elif text == 'return':
            self.at_return(i)

    def at_return(self, i):
        """return of a comparison: its contrary."""
        end = self.statement_end(i)
        words = [t.text for t in self.tokens[i + 1:end]]
        if any(w in ('<', '>', '<=', '>=', '==', '!=', '&&', '||')
               for w in words) and '?' not in words:
            body = self.text[self.tokens[i + 1].start:self.tokens[end].start]
            self.add(i + 1, end - 1, f'!({body})', 'negated')

    def at_condition(self, i, forms):
        end = self.pair[i]
        body = self.text[self.tokens[i].end:self.tokens[end].start]
        for form in forms:
            self.mutants.append(Mutant(self.tokens[i].end,
                                       self.tokens[end].start,
                                       form.format(body), 'condition'))

    # --- more than one token -----------------------------------------------

    def after_head(self, i):
        """Whether i is the statement of an if, for or while."""
        if not self.is_op(i - 1, ')'):
            return False
        head = self.pair[i - 1]
        return self.tokens[head - 1].text in ('if', 'for', 'while')

    def statement_end(self, i):
        """The index of the ; that ends the statement at i, or None."""
        while i < len(self.tokens):
            text = self.tokens[i].text
            if text == ';':
                return i
            if text == '}':
                return None
            i = self.pair[i] + 1 if text in ('(', '[', '{') else i + 1
        return None

    def at_statement(self, i):
        """An expression statement, or a return without a value, deleted."""
        if i + 1 == len(self.tokens):
            return
        first, second = self.tokens[i], self.tokens[i + 1]
        if first.text in SILENT or first.text in (';', '{', '}', 'else'):
            return
        if first.text == 'return':
            if second.text == ';':
                self.add(i, i, '', 'deleted')
            return
        if first.kind == 'name' and \
                (first.text in KEYWORDS or TYPES.fullmatch(first.text) or
                 second.kind == 'name' or second.text == ':'):
            return
        end = self.statement_end(i)
        if end is None:
            return
        body = self.text[first.start:self.tokens[end].start]
        if not re.match(r'(\(void\))?[\w.\[\]*&>-]+\s*(\(|[-+*|&]?=|\+\+|--)',
                        body):
            return
        self.add(i, end - 1, '(void)0' + '\n' * body.count('\n'), 'deleted')

    def at_designated(self, i):
        """A member of an initializer, left out."""
        end = i
        while self.tokens[end].text not in (',', '}', ';'):
            end = self.pair[end] + 1 if self.tokens[end].text in '([{' \
                else end + 1
        if self.tokens[end].text == ';':
            return
        last = end if self.tokens[end].text == ',' else end - 1
        body = self.text[self.tokens[i].start:self.tokens[last].end]
        if self.tokens[i - 1].text == '{' and self.tokens[end].text == '}':
            new = '0'
        else:
            new = ''
        self.add(i, last, new + '\n' * body.count('\n'), 'left out')

    def at_define(self, token):
        """The numbers of #define NAME numbers."""
        match = re.match(r'\s*#\s*define\s+\w+\s+(.*)', token.text, re.S)
        if not match or token.text.rstrip().endswith('\\'):
            return
        body = re.sub(r'/\*.*', '', match.group(1), flags=re.S)
        base = token.start + match.start(1)
        for number in re.finditer(r'(?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+)'
                                  r'[uUlL]*(?![\w.])', body):
            self.at_number(None, number.group(), base + number.start(),
                           base + number.end())

    # --- for the callers ---------------------------------------------------

    def apply(self, k):
        m = self.mutants[k]
        new = self.text[:m.start] + m.new + self.text[m.end:]
        return new

    def line(self, k):
        return self.text.count('\n', 0, self.mutants[k].start) + 1

    def function(self, k):
        start = self.mutants[k].start
        for i, token in enumerate(self.tokens):
            if token.end > start:
                return self.inside[i]
        return ''

    def what(self, k):
        """old -> new, in one line."""
        m = self.mutants[k]
        old = ' '.join(self.text[m.start:m.end].split())
        new = ' '.join(m.new.split())
        return f'{old} -> {new}' if new else f'{old} ->'

    def name(self, k):
        """What a mutant is called as long as its line stays as it is: the
        function, the line, which of the same kind in that line."""
        m = self.mutants[k]
        begin = self.text.rfind('\n', 0, m.start) + 1
        end = self.text.find('\n', m.start)
        line = ' '.join(self.text[begin:end].split())
        column = len(' '.join(self.text[begin:m.start].split()))
        return f'{self.function(k)} | {line} | {column} | {self.what(k)}'


def main(arguments):
    if len(arguments) >= 2 and arguments[0] == 'count':
        for name in arguments[1:]:
            with open(name, encoding='ascii') as file:
                print(f'{len(Source(file.read()).mutants):5} {name}')
        return 0
    if len(arguments) not in (2, 3) or arguments[0] not in ('list', 'apply'):
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[1], encoding='ascii') as file:
        source = Source(file.read())
    if arguments[0] == 'apply':
        sys.stdout.write(source.apply(int(arguments[2])))
        return 0
    for k, m in enumerate(source.mutants):
        print(f'{k} {source.line(k)} {m.tag}: {source.what(k)}')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
