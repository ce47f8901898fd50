"""As much YAML as experiments and network files need: maps and lists in flow style, a map or a list of such a level."""
import decimal
import numbers
import re

import numpy

from .errors import UsageError

PLAIN = re.compile(r'[A-Za-z_./][A-Za-z0-9_./ -]*[A-Za-z0-9_./]$|[A-Za-z_]$')
RESERVED = {'null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n'}
TOKEN = re.compile(r'\s*(?:([][{},:])|"((?:[^"\\]|\\.)*)"|\'((?:[^\']|\'\')*)\'|([^][{},:#"\'\s][^][{},:#"\']*))')


def scalar(value):
    """A value as text."""
    if value is None:
        return 'null'
    if isinstance(value, (bool, numpy.bool_)):
        return 'true' if value else 'false'
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return format(decimal.Decimal(repr(float(value))), 'f')
    text = str(value)
    if '\n' in text or '\r' in text or '\0' in text:
        raise UsageError(f'{text!r} has a line break, which no name of a file here may have')
    if PLAIN.match(text) and text.lower() not in RESERVED:
        return text
    return "'" + text.replace("'", "''") + "'"


def flow(value):
    """A map or a list on one line."""
    if isinstance(value, dict):
        return '{' + ', '.join(f'{key}: {flow(one)}' for key, one in value.items()) + '}'
    if isinstance(value, (list, tuple)):
        return '[' + ', '.join(flow(one) for one in value) + ']'
    return scalar(value)


def document(keys):
    """A file with a line for each key."""
    return ''.join(f'{key}: {flow(value)}\n' for key, value in keys.items())


# ---- reading ----

def _value(text):
    text = text.strip()
    if re.match(r'[+-]?\d+$', text):
        return int(text)
    if re.match(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$', text):
        return float(text)
    return {'null': None, '~': None, 'true': True, 'false': False}.get(text, text)


class _Flow:
    """The tokens of a value in flow style."""

    def __init__(self, text, where):
        self.where, self.token, at = where, [], 0
        text = text.rstrip()
        while at < len(text):
            if text[at:].lstrip().startswith('#'):
                break
            found = TOKEN.match(text, at)
            if found is None:
                self.fail()
            sign, double, single, plain = found.groups()
            self.token.append(('sign', sign) if sign else
                              ('text', _value(plain)) if plain is not None else
                              ('text', double if double is not None else single.replace("''", "'")))
            at = found.end()
        self.at = 0

    def fail(self):
        raise UsageError(f'{self.where}: this is no YAML that spinnsim writes')

    def take(self, sign=None):
        if self.at >= len(self.token):
            self.fail()
        kind, value = self.token[self.at]
        if sign is not None and (kind, value) != ('sign', sign):
            self.fail()
        self.at += 1
        return kind, value

    def is_sign(self, sign):
        return self.at < len(self.token) and self.token[self.at] == ('sign', sign)

    def items(self, end, one):
        while not self.is_sign(end):
            one()
            if not self.is_sign(end):
                self.take(',')
        self.take(end)

    def value(self):
        kind, value = self.take()
        if kind == 'text':
            return value
        if value == '[':
            items = []
            self.items(']', lambda: items.append(self.value()))
            return items
        if value != '{':
            self.fail()
        keys = {}

        def pair():
            key = self.take()[1]
            self.take(':')
            keys[key] = self.value()
        self.items('}', pair)
        return keys

    def whole(self):
        value = self.value()
        if self.at != len(self.token):
            self.fail()
        return value


def read(text, where='text'):
    """A map of keys on lines of their own; a value is in flow style, or a list or a map of lines below."""
    found, below = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        place = f'{where}:{number}'
        if not line.strip() or line.lstrip().startswith('#') or line.strip() == '---':
            continue
        item = re.match(r'\s*- (.*)$', line)
        pair = re.match(r'(\s*)([A-Za-z0-9_.-]+):(\s.*)?$', line)
        if item and below is not None:
            found[below] = (found[below] or [])
            if not isinstance(found[below], list):
                raise UsageError(f'{place}: a list and a map in one')
            found[below].append(_Flow(item.group(1), place).whole())
        elif pair:
            indent, key, rest = pair.groups()
            rest = (rest or '').strip()
            value = None if not rest or rest.startswith('#') else _Flow(rest, place).whole()
            if indent and below is not None:
                found[below] = found[below] or {}
                if not isinstance(found[below], dict):
                    raise UsageError(f'{place}: a list and a map in one')
                found[below][key] = value
            else:
                found[key] = value
                below = key if value is None else None
        else:
            raise UsageError(f'{place}: this is no YAML that spinnsim writes')
    return found
