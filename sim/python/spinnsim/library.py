"""libspinnsim.so by ctypes: its functions, structs and errors (sim/library/spinnsim.h)."""
import ctypes
import os
import pathlib

from .errors import ProgramMissing, RunFailed

HERE = pathlib.Path(__file__).resolve().parent
NAME_CHARS, MOST_RANK = 64, 4
LIBRARY = 'libspinnsim.so'
VERSION = '0.3'  # MAJOR.MINOR of the structs below


class Error(ctypes.Structure):
    _fields_ = [('file', ctypes.c_char * 512), ('key', ctypes.c_char * 128), ('text', ctypes.c_char * 768),
                ('hint', ctypes.c_char * 768), ('line', ctypes.c_int), ('column', ctypes.c_int)]

    def message(self):
        """As the program prints it: FILE:LINE: KEY: text, then the hint."""
        text = {name: getattr(self, name).decode(errors='replace') for name in ('file', 'key', 'text', 'hint')}
        place = f'{text["file"]}:{self.line}' if text['file'] and self.line else text['file']
        message = ': '.join(part for part in (place, text['key'], text['text']) if part)
        return message + (f'\n    hint: {text["hint"]}' if text['hint'] else '')


class Options(ctypes.Structure):
    _fields_ = [('configs', ctypes.c_char_p), ('workloads', ctypes.c_char_p), ('data', ctypes.c_char_p),
                ('set', ctypes.POINTER(ctypes.c_char_p)), ('set_count', ctypes.c_size_t), ('threads', ctypes.c_uint)]


class EventStruct(ctypes.Structure):
    _fields_ = [('kind', ctypes.c_int), ('epoch', ctypes.c_uint64), ('update', ctypes.c_uint64), ('time_ps', ctypes.c_uint64),
                ('loss', ctypes.c_double), ('accuracy', ctypes.c_double)]


class Tensor(ctypes.Structure):
    _fields_ = [('name', ctypes.c_char * NAME_CHARS), ('rank', ctypes.c_uint), ('shape', ctypes.c_size_t * MOST_RANK),
                ('count', ctypes.c_size_t)]


class Place(ctypes.Structure):
    _fields_ = [('x', ctypes.c_uint8), ('y', ctypes.c_uint8), ('core', ctypes.c_uint8), ('address', ctypes.c_uint32)]


class CounterInfo(ctypes.Structure):
    _fields_ = [('name', ctypes.c_char * NAME_CHARS), ('unit', ctypes.c_char_p), ('help', ctypes.c_char_p)]


class Count(ctypes.Structure):
    _fields_ = [('x', ctypes.c_uint8), ('y', ctypes.c_uint8), ('instance', ctypes.c_int16), ('value', ctypes.c_uint64)]


class Link(ctypes.Structure):
    _fields_ = [('x', ctypes.c_uint8), ('y', ctypes.c_uint8), ('link', ctypes.c_uint8), ('to_x', ctypes.c_uint8),
                ('to_y', ctypes.c_uint8), ('between_boards', ctypes.c_bool)]


_P, _ERROR, _SIZES = ctypes.c_void_p, ctypes.POINTER(Error), ctypes.POINTER(ctypes.c_size_t)
_ENDED = ctypes.POINTER(ctypes.c_bool)

# name: (result, arguments); a result of int is a status, which call() checks.
FUNCTIONS = {
    'version': (ctypes.c_char_p, []),
    'open': (ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(Options), ctypes.POINTER(_P), _ERROR]),
    'close': (None, [_P]),
    'event_name': (ctypes.c_char_p, [ctypes.c_int]),
    'run_until': (ctypes.c_int, [_P, ctypes.c_uint64, _ENDED, _ERROR]),
    'run_to': (ctypes.c_int, [_P, ctypes.c_uint32, ctypes.POINTER(EventStruct), _ENDED, _ERROR]),
    'run': (ctypes.c_int, [_P, _ERROR]),
    'stop': (None, [_P, ctypes.c_bool]),
    'tensor_count': (ctypes.c_size_t, [_P]),
    'tensor_at': (ctypes.c_bool, [_P, ctypes.c_size_t, ctypes.POINTER(Tensor)]),
    'read': (ctypes.c_int, [_P, ctypes.c_char_p, ctypes.POINTER(ctypes.c_double), ctypes.c_size_t, _ERROR]),
    'write': (ctypes.c_int, [_P, ctypes.c_char_p, ctypes.POINTER(ctypes.c_double), ctypes.c_size_t, _ERROR]),
    'time_ps': (ctypes.c_uint64, [_P]),
    'read_memory': (ctypes.c_int, [_P, Place, ctypes.c_void_p, ctypes.c_uint32, _ERROR]),
    'write_memory': (ctypes.c_int, [_P, Place, ctypes.c_void_p, ctypes.c_uint32, _ERROR]),
    'counter': (ctypes.c_int, [_P, ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_uint64), _ERROR]),
    'counter_at': (ctypes.c_bool, [ctypes.c_size_t, ctypes.POINTER(CounterInfo)]),
    'counts': (ctypes.c_int, [_P, ctypes.c_char_p, ctypes.POINTER(Count), ctypes.c_size_t, _SIZES, _ERROR]),
    'links': (ctypes.c_int, [_P, ctypes.POINTER(Link), ctypes.c_size_t, _SIZES, _ERROR]),
    'summary': (ctypes.c_char_p, [_P]),
    'record': (ctypes.c_int, [_P, ctypes.c_char_p, ctypes.c_bool, _ERROR]),
}


def places():
    """Where the library is looked for, in this order."""
    if HERE.parent.name == 'python' and HERE.parent.parent.name == 'sim':  # a checkout: sim/python/spinnsim
        yield HERE.parents[2] / 'build' / LIBRARY
    for folder in list(HERE.parents)[:5]:  # installed: PREFIX/share/spinnsim/python/spinnsim and PREFIX/lib
        if (folder / 'share' / 'spinnsim').is_dir():
            yield folder / 'lib' / LIBRARY
            yield from sorted(folder.glob(f'lib/*-linux-gnu*/{LIBRARY}'))
            yield folder / 'lib64' / LIBRARY


def find(library=None):
    """The path of the library: the given one, or the first of places()."""
    wanted = [pathlib.Path(library)] if library is not None else list(places())
    for path in wanted:
        if path.is_file():
            return str(path.resolve())
    looked = f'{library} is no file' if library is not None else 'looked in: ' + ', '.join(map(str, wanted))
    raise ProgramMissing(f'there is no {LIBRARY} ({looked}): cmake --install BUILD --component library, or give its path as '
                         'library=')


class Library:
    """The loaded library; call() raises RunFailed with the status and message of what has failed."""

    def __init__(self, library=None):
        path = find(library)
        try:
            self.native = ctypes.CDLL(path)
            for name, (result, arguments) in FUNCTIONS.items():
                function = getattr(self.native, f'spinnsim_{name}')
                function.restype, function.argtypes = result, arguments
        except (OSError, AttributeError) as error:
            raise ProgramMissing(f'{path} is no {LIBRARY} of version {VERSION}: {error}') from error
        version = self.native.spinnsim_version().decode()
        if version.rsplit('.', 1)[0] != VERSION:
            raise ProgramMissing(f'{path} has version {version}, this package is for {VERSION}')

    def get(self, name, *arguments):
        """A function that cannot fail."""
        return getattr(self.native, f'spinnsim_{name}')(*arguments)

    def call(self, name, *arguments):
        """A function that can, without its last argument."""
        error = Error()
        status = getattr(self.native, f'spinnsim_{name}')(*arguments, ctypes.byref(error))
        if status != 0:
            raise RunFailed(status, error.message())


def encoded(text):
    """A text or path for C; None stays."""
    return None if text is None else os.fsencode(text)
