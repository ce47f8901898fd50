"""Machine: an experiment step by step in libspinnsim.so, looked at while it stands."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import unittest
import xml.etree.ElementTree
from unittest import mock

import numpy

import common
from spinnsim import Machine, ProgramMissing, RunFailed, UsageError, figures, library

ROOT = pathlib.Path(__file__).resolve().parents[2]
XOR = ROOT / 'configs/experiments/xor_train.yaml'
LIBRARY = str(pathlib.Path(common.PROGRAM).parent / 'libspinnsim.so')
WORKLOADS = pathlib.Path(common.PROGRAM).parent / 'workloads'
TREE = {'library': LIBRARY, 'configs': str(ROOT / 'configs'), 'workloads': str(WORKLOADS)}
FEW = {'train.epochs': 4, 'accept': None}
BOARD = {'data.set': 'synthetic', 'data.train_images': 384, 'data.test_images': 20, 'train.epochs': 1, 'accept': None,
         'mapping.chips': 4}
MS = 10**9


def needs_library(case):
    """A library with sanitizers cannot be loaded into a Python without them."""
    reason = ('sanitizers: Python has none' if os.environ.get('SPINN_SANITIZE') else
              None if (WORKLOADS / 'hello.elf').exists() else 'no ARM programs in this build')
    return unittest.skipIf(reason, reason)(case)


def open_machine(file=XOR, settings=None, **options):
    return Machine(file, settings=FEW if settings is None else settings, **{**TREE, **options})


@needs_library
class MachineSteps(common.InAnEmptyFolder):

    def test_a_run_in_steps_is_the_run_of_the_program(self):
        subprocess.run([common.PROGRAM, 'run', str(XOR), '--set', 'train.epochs=4', '--set', 'accept=null', '--out', 'out'],
                       check=True, capture_output=True)
        expected = json.loads(pathlib.Path('out/summary.json').read_text(encoding='utf-8'))
        with open_machine() as machine:
            self.assertIsNone(machine.summary)
            seen = []
            while machine.run_for(MS // 20):
                seen.append((machine.time_ps, machine.counter('core.instructions')))
            self.assertGreater(len(seen), 3)
            self.assertEqual([time for time, _ in seen], [MS // 20 * (i + 1) for i in range(len(seen))])
            self.assertEqual(seen, sorted(seen))
            self.assertTrue(machine.ended)
            self.assertEqual(machine.summary['stats_hash'], expected['stats_hash'])
            machine.record('recorded')
        for name in ('counters.csv', 'phases.csv', 'energy.csv'):
            self.assertEqual(pathlib.Path('recorded', name).read_bytes(), pathlib.Path('out', name).read_bytes())
        for folder in ('out', 'recorded'):
            for path in sorted(pathlib.Path(folder).rglob('*'), reverse=True):
                path.unlink() if path.is_file() else path.rmdir()
            os.rmdir(folder)

    def test_two_machines_interleaved_are_two_runs(self):
        settings = [{**FEW, 'seed': 1}, {**FEW, 'seed': 2}]
        apart = []
        for one in settings:
            with open_machine(settings=one) as machine:
                machine.run()
                apart.append((machine.summary['stats_hash'], machine.tensor('hidden.weights').tobytes()))
        self.assertNotEqual(*apart)
        with open_machine(settings=settings[0]) as first, open_machine(settings=settings[1], threads=2) as second:
            spans = iter(range(1, 1000))
            while not (first.ended and second.ended):
                for machine in (first, second):
                    if not machine.ended:
                        machine.run_for(next(spans) * MS // 100)
            self.assertEqual([(machine.summary['stats_hash'], machine.tensor('hidden.weights').tobytes())
                              for machine in (first, second)], apart)

    def test_events_come_in_their_order(self):
        with open_machine() as machine:
            names = []
            while (event := machine.run_to()) is not None:
                names.append((event.name, event.epoch))
        self.assertEqual(names[0], ('before_run', 0))
        self.assertEqual(names[-1][0], 'after_run')
        self.assertEqual([epoch for name, epoch in names if name == 'after_epoch'], [1, 2, 3, 4])

    def test_a_training_that_is_stopped(self):
        with open_machine() as machine:
            machine.run_to('after_step')
            machine.stop()
            with self.assertRaises(RunFailed) as caught:
                machine.run()
            self.assertEqual(caught.exception.status, 4)

    def test_tensors(self):
        with open_machine() as machine:
            self.assertEqual(machine.tensors, {'hidden.weights': (8, 2), 'hidden.biases': (8,), 'output.weights': (2, 8),
                                               'output.biases': (2,)})
            values = numpy.arange(16).reshape(8, 2) / 8
            machine.set_tensor('hidden.weights', values)
            self.assertTrue(numpy.array_equal(machine.tensor('hidden.weights'), values))
            with self.assertRaisesRegex(UsageError, r'hidden.weights has the shape \(8, 2\), not \(16,\)'):
                machine.set_tensor('hidden.weights', range(16))
            with self.assertRaisesRegex(UsageError, "no tensor 'hiden'; there are hidden.weights"):
                machine.tensor('hiden')
            machine.run_until(MS // 10)
            with self.assertRaisesRegex(RunFailed, 'begun'):
                machine.set_tensor('hidden.weights', values)
            machine.run()
            self.assertFalse(numpy.array_equal(machine.tensor('hidden.weights'), values))

    def test_counters(self):
        with open_machine() as machine:
            names = machine.counter_names
            self.assertEqual(names['core.instructions'][0], 'instruction')
            self.assertIn('link.packets', names)
            with self.assertRaisesRegex(RunFailed, 'a machine while a run'):
                machine.counter('core.instructions')
            machine.run_until(MS // 10)
            for name in names:
                rows = machine.counters(name)
                self.assertEqual(int(rows['value'].sum()), machine.counter(name), name)
            cores = machine.counters('core.instructions')
            self.assertEqual(list(cores['instance']), list(range(18)))
            self.assertEqual(machine.counter('core.instructions', 0, 0), machine.counter('core.instructions'))
            with self.assertRaisesRegex(RunFailed, r'core.instruction: there is no counter(.|\n)*spinnsim columns'):
                machine.counter('core.instruction')
            with self.assertRaisesRegex(RunFailed, 'there is no counter'):
                machine.counters('nothing')

    def test_links(self):
        with open_machine(ROOT / 'configs/experiments/lenet1_train.yaml', BOARD) as machine:
            machine.run_to('after_step')
            links = machine.links()
            self.assertEqual(len({(link['x'], link['y'], link['link']) for link in links}), len(links))
            there = {(link['x'], link['y'], link['link']): (link['to_x'], link['to_y']) for link in links}
            for (x, y, link), (to_x, to_y) in there.items():
                self.assertEqual(there[to_x, to_y, (link + 3) % 6], (x, y))
            self.assertGreater(links['packets'].sum(), 0)
            self.assertEqual(links['packets'].sum(), machine.counter('link.packets'))
            self.assertLess(links['busy_ps'].max(), machine.time_ps)
            figures.links('links.svg', links, title='a < b')
        arrows = xml.etree.ElementTree.parse('links.svg').getroot().findall('{http://www.w3.org/2000/svg}line')
        self.assertEqual(len(arrows), len(links))
        os.remove('links.svg')

    def test_memory(self):
        with open_machine(WORKLOADS / 'hello.elf', {}) as machine:
            machine.run_until(3 * MS // 2)
            machine.set_memory(0, 0, 1, 0x60001000, b'spinnsim')
            self.assertEqual(machine.memory(0, 0, 1, 0x60001004, 4), b'nsim')
            with self.assertRaisesRegex(RunFailed, r'chip \(0,0\) core 1 has no 4 bytes of memory at 0x50000000'):
                machine.memory(0, 0, 1, 0x50000000, 4)
            self.assertEqual(machine.tensors, {})

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(RunFailed, 'nowhere.yaml') as caught:
            open_machine('nowhere.yaml')
        self.assertEqual(caught.exception.status, 2)
        with self.assertRaisesRegex(RunFailed, 'train.*epoch.*unknown key'):
            open_machine(settings={'train.epoch': 1})
        for wrong in ({'settings': 'seed=1'}, {'threads': 0}):
            with self.assertRaises(UsageError):
                Machine(XOR, **wrong)
        machine = open_machine()
        with self.assertRaisesRegex(UsageError, "no event 'after_steps'"):
            machine.run_to('after_steps')
        machine.close()
        machine.close()
        with self.assertRaisesRegex(UsageError, 'this machine is closed'):
            machine.run()

    def test_the_example(self):
        with mock.patch.object(library, 'places', lambda: iter([pathlib.Path(LIBRARY)])), \
                contextlib.redirect_stdout(io.StringIO()) as said, mock.patch.object(sys, 'argv', ['standing.py', '.']):
            text = (ROOT / 'examples/python/standing.py').read_text(encoding='utf-8')
            exec(compile(text, 'standing.py', 'exec'), {'__name__': '__main__'})  # the library is that of this build
        self.assertIn('two machines interleaved: the results of two separate runs', said.getvalue())
        for name in ('loss.svg', 'links.svg'):
            xml.etree.ElementTree.parse(name)
            os.remove(name)


class LibraryFile(common.InAnEmptyFolder):

    def test_a_missing_library(self):
        with self.assertRaisesRegex(ProgramMissing, '/nowhere.so is no file.*--component library'):
            Machine(XOR, library='/nowhere.so')
        with mock.patch.object(library, 'HERE', pathlib.Path(self.here) / 'prefix/share/spinnsim/python/spinnsim'):
            pathlib.Path('prefix/share/spinnsim').mkdir(parents=True)
            pathlib.Path('prefix/lib/some-linux-gnu').mkdir(parents=True)
            with self.assertRaisesRegex(ProgramMissing, 'looked in: .*prefix/lib/libspinnsim.so'):
                library.find()
            pathlib.Path('prefix/lib/some-linux-gnu/libspinnsim.so').write_bytes(b'')
            self.assertRegex(library.find(), 'some-linux-gnu/libspinnsim.so$')

    def test_a_file_that_is_no_library(self):
        pathlib.Path('libspinnsim.so').write_text('text', encoding='utf-8')
        with self.assertRaisesRegex(ProgramMissing, 'libspinnsim.so is no libspinnsim.so of version 0.3'):
            Machine(XOR, library='libspinnsim.so')
        os.remove('libspinnsim.so')


class LineFigures(common.InAnEmptyFolder):

    def test_lines_have_gaps_where_values_are_not_finite(self):
        figures.lines('lines.svg', range(5), {'a & b': [1, 2, float('nan'), 4, 5], 'c': [0] * 5}, 'x', 'y')
        root = xml.etree.ElementTree.parse('lines.svg').getroot()
        pieces = [line.get('points').split() for line in root.findall('{http://www.w3.org/2000/svg}polyline')]
        self.assertEqual([len(piece) for piece in pieces], [2, 2, 5])
        os.remove('lines.svg')

    def test_wrong_series(self):
        for x, series in (([], {}), ([1, 2], {'a': [1]}), ([], {'a': []})):
            with self.assertRaises(UsageError):
                figures.lines('lines.svg', x, series)
        self.assertEqual(os.listdir(), [])
