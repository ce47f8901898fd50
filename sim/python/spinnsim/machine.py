"""An experiment step by step: a machine that is run to a time or to an event, and looked at while it stands.

    with Machine('lenet1_train.yaml', settings={'train.epochs': 1}) as machine:
        while (event := machine.run_to('after_step')) is not None:
            print(event.update, machine.time_ps, machine.counter('core.instructions'))
            print(machine.tensor('conv1.weights').mean(), machine.links()['packets'].max())
    print(machine.summary['energy_j'])

By libspinnsim.so: docs/installed.md.
"""
import collections.abc
import ctypes
import json
import math

import numpy

from . import library as native
from .errors import UsageError
from .events import EVENTS, Event
from .yaml_text import flow

COUNTS = numpy.dtype([('x', 'u1'), ('y', 'u1'), ('instance', 'i2'), ('value', 'u8')])
LINKS = numpy.dtype([('x', 'u1'), ('y', 'u1'), ('link', 'u1'), ('to_x', 'u1'), ('to_y', 'u1'), ('between_boards', '?'),
                     ('packets', 'u8'), ('busy_ps', 'u8')])


class Machine:
    """An experiment, loaded and checked; nothing has run.

    file: an experiment's YAML file, or an ELF program for core 1 of one chip.  settings: {key: value}, each overrides a key
    of the file.  data: folder of MNIST.  threads: of this computer; results do not depend on it.  library: libspinnsim.so;
    without it, that of this tree.  configs, workloads: folders of configurations and ARM programs, if not those of the
    library's tree.

    A process may have several machines, also interleaved; one belongs to one thread at a time.  It ends with close(), or
    with its `with` block.  Its results stay: summary, record()."""

    def __init__(self, file, settings=None, data=None, threads=1, library=None, configs=None, workloads=None):
        if isinstance(settings, str) or not isinstance(settings or {}, collections.abc.Mapping):
            raise UsageError(f'settings are {{key: value}}, not {settings!r}')
        if not isinstance(threads, int) or threads < 1:
            raise UsageError(f'threads are 1 or more, not {threads!r}')
        self._handle = None
        self._library = native.Library(library)
        texts = [native.encoded(f'{key}={flow(value)}') for key, value in (settings or {}).items()]
        options = native.Options(native.encoded(configs), native.encoded(workloads), native.encoded(data),
                                 (ctypes.c_char_p * max(1, len(texts)))(*texts), len(texts), threads)
        handle = ctypes.c_void_p()
        self._library.call('open', native.encoded(file), ctypes.byref(options), ctypes.byref(handle))
        self._handle = handle
        self.ended = False

    # ---- life ----

    def close(self):
        """A run that stands is given up.  A second call does nothing."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            self._library.get('close', handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, '_handle', None) is not None:
            self.close()

    @property
    def _open(self):
        if self._handle is None:
            raise UsageError('this machine is closed')
        return self._handle

    # ---- running ----

    def _run(self, name, *arguments):
        """Runs on; False when the run has ended."""
        ended = ctypes.c_bool(False)
        try:
            self._library.call(name, self._open, *arguments, ctypes.byref(ended))
        finally:
            self.ended = self.ended or ended.value
        return not self.ended

    def run_until(self, time_ps):
        """Runs to a machine time in picoseconds; False: the run has ended before."""
        return self._run('run_until', int(time_ps))

    def run_for(self, span_ps):
        """The same from now on."""
        return self.run_until(self.time_ps + int(span_ps))

    def run_to(self, *names):
        """Runs to the next of these events (without names: of all) and returns it; None: the run has ended."""
        unknown = [name for name in names if name not in EVENTS]
        if unknown:
            raise UsageError(f'there is no event {unknown[0]!r}; there are {", ".join(EVENTS)}')
        wanted = sum(1 << EVENTS.index(name) for name in set(names or EVENTS))
        event = native.EventStruct()
        if not self._run('run_to', wanted, ctypes.byref(event)):
            return None
        known = [None if math.isnan(value) else value for value in (event.loss, event.accuracy)]
        return Event(EVENTS[event.kind], event.epoch, event.update, event.time_ps, *known)

    def run(self):
        """Runs to the end."""
        self._library.call('run', self._open)
        self.ended = True

    def stop(self, epoch=False):
        """Ends a training behind its update (with status 4: RunFailed), or regularly behind its epoch."""
        self._library.get('stop', self._open, epoch)

    # ---- what there is to see ----

    @property
    def time_ps(self):
        """Machine time in picoseconds; 0 before and after the run, and on the host."""
        return self._library.get('time_ps', self._open)

    @property
    def tensors(self):
        """{name: shape} of the network's parameters: 'conv1.weights', [output][input][row][column]."""
        found = {}
        tensor = native.Tensor()
        for index in range(self._library.get('tensor_count', self._open)):
            self._library.get('tensor_at', self._open, index, ctypes.byref(tensor))
            found[tensor.name.decode()] = tuple(tensor.shape[:tensor.rank])
        return found

    def _shape(self, name):
        shapes = self.tensors
        if name not in shapes:
            raise UsageError(f'there is no tensor {name!r}; there are {", ".join(shapes) or "none"}')
        return shapes[name]

    def tensor(self, name):
        """Its values as float64, which all number formats fit exactly."""
        values = numpy.empty(self._shape(name))
        self._library.call('read', self._open, native.encoded(name), _doubles(values), values.size)
        return values

    def set_tensor(self, name, values):
        """Writes it before the run; rounded to the number format."""
        shape = self._shape(name)
        values = numpy.ascontiguousarray(values, dtype=numpy.float64)
        if values.shape != shape:
            raise UsageError(f'{name} has the shape {shape}, not {values.shape}')
        self._library.call('write', self._open, native.encoded(name), _doubles(values), values.size)

    @property
    def counter_names(self):
        """{name: (unit, meaning)} of all counters."""
        found, info, index = {}, native.CounterInfo(), 0
        while self._library.get('counter_at', index, ctypes.byref(info)):
            found[info.name.decode()] = (info.unit.decode(), info.help.decode())
            index += 1
        return found

    def counter(self, name, x=None, y=None):
        """A counter summed over the machine, or over a chip: counter('core.instructions', 0, 1)."""
        value = ctypes.c_uint64()
        self._library.call('counter', self._open, native.encoded(name), -1 if x is None else x, -1 if y is None else y,
                           ctypes.byref(value))
        return value.value

    def _rows(self, function, row, *arguments):
        """What a function fills in, of which it first tells how many there are."""
        count = ctypes.c_size_t()
        self._library.call(function, self._open, *arguments, None, 0, ctypes.byref(count))
        rows = (row * count.value)()
        self._library.call(function, self._open, *arguments, rows, count.value, ctypes.byref(count))
        return rows

    def counters(self, name):
        """A counter of each part: an array of records x, y, instance (core or link; -1: of the chip), value."""
        rows = self._rows('counts', native.Count, native.encoded(name))
        return numpy.array([(row.x, row.y, row.instance, row.value) for row in rows], dtype=COUNTS)

    def links(self):
        """Each direction of each link: an array of records x, y, link (0 E, 1 NE, 2 N, 3 W, 4 SW, 5 S), to_x, to_y,
        between_boards, packets sent so far, and how long it has been busy with them."""
        counts = {name: {(row['x'], row['y'], row['instance']): row['value'] for row in self.counters(f'link.{name}')}
                  for name in ('packets', 'busy_ps')}
        rows = self._rows('links', native.Link)
        return numpy.array([(row.x, row.y, row.link, row.to_x, row.to_y, row.between_boards,
                             *(counts[name][row.x, row.y, row.link] for name in counts)) for row in rows], dtype=LINKS)

    def memory(self, x, y, core, address, count):
        """Bytes at an address as a core sees them: its TCMs, SDRAM, System RAM."""
        bytes_ = ctypes.create_string_buffer(count)
        self._library.call('read_memory', self._open, native.Place(x, y, core, address), bytes_, count)
        return bytes_.raw

    def set_memory(self, x, y, core, address, content):
        """Writes bytes, which changes the run."""
        content = bytes(content)
        self._library.call('write_memory', self._open, native.Place(x, y, core, address), content, len(content))

    # ---- results ----

    @property
    def summary(self):
        """summary.json; None before the run's end."""
        text = self._library.get('summary', self._open)
        return None if text is None else json.loads(text)

    def record(self, folder, replace=False):
        """Writes the result folder, as `spinnsim run --out` does."""
        self._library.call('record', self._open, native.encoded(folder), replace)


def _doubles(values):
    return values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
