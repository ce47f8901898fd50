"""The fourteen events of a run as callbacks: those that the library (sim/library/spinnsim.h) stands at, in its order."""
import ctypes
import json
import os
import pathlib
import re
import socket
import subprocess
import unittest

import common
from common import CHIP, HOST, PROGRAM, blobs
from spinnsim import RunFailed, SpinnsimError, events
from test_fit import ready

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def epoch(number, updates):
    """The events of an epoch of so many updates, as (name, epoch, update)."""
    last = number * updates
    said = [('before_epoch', number, last - updates), ('before_training_set', number, last - updates)]
    for update in range(last - updates + 1, last + 1):
        said += [(name, number, update) for name in ('before_step', 'after_step', 'step_check')]
    return said + [(name, number, last) for name in (
        'after_training_set', 'before_test_set', 'before_inference', 'after_inference', 'after_test_set', 'after_epoch',
        'epoch_check')]


ORDER = [('before_run', 0, 0), *epoch(1, 3), *epoch(2, 3), ('after_run', 2, 6)]


class Recorder:
    """All fourteen methods."""

    def __init__(self):
        self.said, self.events, self.models = [], [], set()

    def __getattr__(self, name):
        if name not in events.EVENTS:
            raise AttributeError(name)

        def hear(event, model):
            self.said.append((event.name, event.epoch, event.update))
            self.events.append(event)
            self.models.add(model)
        return hear


class StopsAt:
    """Returns False at a check of an update or epoch."""

    def __init__(self, check, number):
        self.check, self.number = check, number

    def step_check(self, event, model):
        return self.check != 'step_check' or event.update != self.number

    def epoch_check(self, event, model):
        return self.check != 'epoch_check' or event.epoch != self.number


# ---- the library ----

class Error(ctypes.Structure):
    _fields_ = [('file', ctypes.c_char * 512), ('key', ctypes.c_char * 128), ('text', ctypes.c_char * 768),
                ('hint', ctypes.c_char * 768), ('line', ctypes.c_int), ('column', ctypes.c_int)]


class EventInC(ctypes.Structure):
    _fields_ = [('kind', ctypes.c_int), ('epoch', ctypes.c_uint64), ('update', ctypes.c_uint64), ('time_ps', ctypes.c_uint64),
                ('loss', ctypes.c_double), ('accuracy', ctypes.c_double)]


def events_of_the_library(path, stop=None):
    """Runs an experiment to its end by libspinnsim.so, and stops it at (name, number); its events, the last status and text."""
    file = pathlib.Path(PROGRAM).parent / 'libspinnsim.so'
    if b'__asan_init' in file.read_bytes():
        raise unittest.SkipTest('Python does not load a library with the address sanitizer')
    library = ctypes.CDLL(str(file))
    library.spinnsim_event_name.restype = ctypes.c_char_p
    library.spinnsim_run_to.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(EventInC),
                                        ctypes.POINTER(ctypes.c_bool), ctypes.POINTER(Error)]
    library.spinnsim_stop.argtypes = [ctypes.c_void_p, ctypes.c_bool]
    library.spinnsim_close.argtypes = [ctypes.c_void_p]
    error, run, event, ended, said = Error(), ctypes.c_void_p(), EventInC(), ctypes.c_bool(False), []
    if library.spinnsim_open(os.fsencode(path), None, ctypes.byref(run), ctypes.byref(error)) != 0:
        raise AssertionError(error.text)
    try:
        while True:
            status = library.spinnsim_run_to(run, 2**len(events.EVENTS) - 1, ctypes.byref(event), ctypes.byref(ended),
                                             ctypes.byref(error))
            if ended:
                return said, status, error.text.decode()
            name = library.spinnsim_event_name(event.kind).decode()
            said.append((name, event.epoch, event.update))
            if stop == (name, event.update if name == 'step_check' else event.epoch):
                library.spinnsim_stop(run, name == 'epoch_check')
    finally:
        library.spinnsim_close(run)


class Events(common.InAnEmptyFolder):
    x, y = blobs(48)

    def fit(self, callbacks, how, epochs=2, **more):
        model = ready()
        return model, model.fit(self.x, self.y, 16, epochs, callbacks=callbacks, **how, **more)

    def test_the_names_are_those_of_the_table(self):
        table = (SOURCE / 'sim/run_control/events.def').read_text(encoding='utf-8')
        self.assertEqual(re.findall(r'^EVENT\(\w+, (\w+),', table, re.M), list(events.EVENTS))

    def test_all_fourteen_in_c_and_python_on_host_and_board(self):
        for how in (HOST, CHIP):
            with self.subTest(how):
                recorder, folder = Recorder(), how.get('board', 'host')
                model, history = self.fit([recorder], how, folder=folder)
                self.assertEqual(recorder.said, ORDER)
                self.assertEqual(events_of_the_library(f'{folder}/experiment.yaml')[0], ORDER)
                self.assertEqual(recorder.models, {model})
                quiet, alone = self.fit(None, how)
                self.assertEqual(history.stats_hash, alone.stats_hash)
                self.assertSameArrays(model.get_weights(), quiet.get_weights())

    def test_what_an_event_says(self):
        on_host, on_chip = Recorder(), Recorder()
        _, history = self.fit([on_host], HOST)
        self.fit([on_chip], CHIP)
        last = on_host.events[-1]
        self.assertEqual(last.accuracy, history.history['accuracy'][-1])
        losses = [one.loss for one in on_host.events if one.name == 'after_step']
        self.assertAlmostEqual(sum(losses[:3]) / 3, history.history['loss'][0], 6)
        self.assertEqual({one.time_ps for one in on_host.events}, {0})
        times = [one.time_ps for one in on_chip.events]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[-1], times[0])
        self.assertIsNone(on_chip.events[0].loss)
        self.assertEqual(on_chip.events[-1].accuracy, last.accuracy, 'equal bits')

    def test_a_callback_with_one_method_hears_one_kind(self):
        said = []

        class Steps:
            def after_step(self, event, model):
                said.append(event.update)
        self.fit([Steps()], CHIP)
        self.assertEqual(said, [1, 2, 3, 4, 5, 6])

    def test_false_at_a_check_ends_a_training_as_in_c(self):
        for how in (HOST, CHIP):
            with self.subTest(how):
                folder = how.get('board', 'host')
                recorder = Recorder()
                model, history = self.fit([recorder, StopsAt('epoch_check', 1)], how, folder=folder)
                said, status, _ = events_of_the_library(f'{folder}/experiment.yaml', ('epoch_check', 1))
                self.assertEqual(recorder.said, said)
                self.assertEqual((status, said[-1]), (0, ('after_run', 1, 3)))
                self.assertEqual(history.summary['updates'], 3)
                self.assertEqual((model.epochs_done, history.epoch), (1, [0]))

                model, recorder = ready(), Recorder()
                before = model.get_weights()
                with self.assertRaisesRegex(RunFailed, 'a hook has ended the run behind update 2') as caught:
                    model.fit(self.x, self.y, 16, 2, callbacks=[recorder, StopsAt('step_check', 2)], **how)
                said, status, text = events_of_the_library(f'{folder}/experiment.yaml', ('step_check', 2))
                self.assertEqual(recorder.said, said)
                self.assertEqual((status, text), (4, 'a hook has ended the run behind update 2'))
                self.assertEqual(caught.exception.status, 4)
                self.assertSameArrays(model.get_weights(), before)

    def test_what_was_stopped_goes_on_with_its_optimizer(self):
        for how in (HOST, CHIP):
            model, whole = ready(), ready()

            class Enough:
                def after_step(self, event, model):
                    model.stop_training = event.update == 2
            first = model.fit(self.x, self.y, 16, 3, callbacks=[Enough()], **how)
            self.assertEqual(first.epoch, [0], 'behind the epoch')
            recorder = Recorder()
            second = model.fit(self.x, self.y, 16, 1, callbacks=[recorder], **how)
            self.assertEqual(second.epoch, [1])
            self.assertEqual(recorder.said, [('before_run', 0, 3), *epoch(2, 3), ('after_run', 2, 6)])
            whole.fit(self.x, self.y, 16, 2, **how)
            self.assertSameArrays(model.get_weights(), whole.get_weights())

    def test_with_callbacks_of_epochs_each_epoch_is_a_run(self):
        class Epochs(Recorder):
            def on_epoch_end(self, epoch, logs, model):
                self.said.append(('on_epoch_end', epoch))
        recorder = Epochs()
        _, history = self.fit([recorder, StopsAt('epoch_check', 2)], HOST, epochs=3)
        names = [one[0] for one in recorder.said]
        self.assertEqual(names.count('before_run'), 2)
        self.assertEqual([one for one in recorder.said if one[0] == 'on_epoch_end'], [('on_epoch_end', 0), ('on_epoch_end', 1)])
        self.assertEqual(history.epoch, [0, 1])

    def test_what_a_callback_raises_ends_the_run(self):
        class Fails:
            def after_step(self, event, model):
                raise ConnectionResetError('of a callback')
        model = ready()
        before = model.get_weights()
        with self.assertRaisesRegex(ConnectionResetError, 'of a callback'):
            model.fit(self.x, self.y, 16, 2, callbacks=[Fails()], **CHIP)
        self.assertSameArrays(model.get_weights(), before)
        self.assertEqual(os.listdir(self.temporary), [])

    def test_a_sampled_training_has_no_events(self):
        with self.assertRaisesRegex(RunFailed, 'a training that is sampled or in stages has no events') as caught:
            ready().fit(self.x, self.y, 4, 2, callbacks=[Recorder()], **CHIP,
                        settings={'run.sample.updates': 9, 'record.last_checkpoint': False})
        self.assertEqual(caught.exception.status, 2)

    def test_a_run_that_is_refused_says_why(self):
        with self.assertRaisesRegex(SpinnsimError, 'train.warm_ups'):
            self.fit([Recorder()], HOST, settings={'train.warm_ups': 1})


class Stream(common.InAnEmptyFolder):
    """`spinnsim run --events` by hand: lines of text over a socket (docs/library.md)."""

    def setUp(self):
        super().setUp()
        ready().fit(*blobs(48), 16, 2, folder='kept', **HOST)

    def run_with(self, wanted, answers):
        """What the program tells, and how it ends.  `answers`: one a line; then the socket is closed."""
        ours, theirs = socket.socketpair()
        with ours, theirs, subprocess.Popen([PROGRAM, 'run', 'experiment.yaml', '--out', 'again', '--events', str(theirs.fileno())],
                                            cwd='kept', stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                            pass_fds=[theirs.fileno()]) as process:
            theirs.close()
            with ours.makefile('rw') as lines:
                lines.write(f'{wanted}\n')
                lines.flush()
                told = []
                for answer in answers:
                    told.append(json.loads(lines.readline()))
                    lines.write(f'{answer}\n')
                    lines.flush()
            ours.close()
            return told, process.wait(60), process.stderr.read()

    def test_the_lines(self):
        told, status, errors = self.run_with('after_step epoch_check', ['go', 'go', 'go', 'stop_epoch'])
        self.assertEqual([(one['event'], one['epoch'], one['update'], one['time_ps']) for one in told],
                         [('after_step', 1, 1, 0), ('after_step', 1, 2, 0), ('after_step', 1, 3, 0), ('epoch_check', 1, 3, 0)])
        self.assertEqual(list(told[0]), ['event', 'epoch', 'update', 'time_ps', 'loss', 'accuracy'])
        self.assertEqual((status, errors), (0, ''))

    def test_a_listener_that_goes_away_ends_the_run(self):
        _, status, errors = self.run_with('after_step', ['go'])
        self.assertEqual(status, 4)
        self.assertIn('a hook has ended the run behind update 2', errors)

    def test_mistakes(self):
        self.assertIn("there is no event 'after_steps'", self.run_with('after_steps', [])[2])
        for number in ('99', 'x', '', '0', '-1', '4294967296'):
            done = subprocess.run([PROGRAM, 'run', 'experiment.yaml', '--out', 'again', '--events', number], cwd='kept',
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, number)
            self.assertIn(f"--events: '{number}' is no open stream socket", done.stderr)
