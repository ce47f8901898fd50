"""The program: found or missing, its errors, full disks, and models of other frameworks."""
import os
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

import numpy

import common
from common import HOST, PROGRAM, blobs, dense
from spinnsim import (NotCompiled, ProgramMissing, RunFailed, SpinnsimError, UsageError, datasets, experiment, from_keras, from_torch,
                      load_model, program)


def has_import():
    """Whether the program has `spinnsim import`."""
    return subprocess.run([PROGRAM, 'import', '--help'], capture_output=True, check=False).returncode == 0


class Program(common.InAnEmptyFolder):
    x, y = blobs(12)

    def ready(self, **options):
        model = dense(**options)
        model.compile('sgd')
        return model

    def script(self, text):
        path = pathlib.Path('program')
        path.write_text(f'#!/bin/sh\n{text}\n', encoding='utf-8')
        path.chmod(0o755)
        return str(path.resolve())

    def test_places(self):
        self.assertEqual(program.find(PROGRAM), os.path.realpath(PROGRAM))
        with mock.patch.object(program, 'HERE', pathlib.Path(self.here) / 'prefix/share/spinnsim/python/spinnsim'):
            (pathlib.Path('prefix') / 'bin').mkdir(parents=True)
            (pathlib.Path('prefix') / 'share/spinnsim/configs').mkdir(parents=True)
            with mock.patch.dict(os.environ, {'PATH': ''}), self.assertRaisesRegex(ProgramMissing, 'prefix/bin/spinnsim'):
                program.find()
            os.symlink(PROGRAM, 'prefix/bin/spinnsim')
            self.assertEqual(program.find(), os.path.realpath(PROGRAM))
        with mock.patch.object(program, 'HERE', pathlib.Path('/elsewhere')):
            with mock.patch.dict(os.environ, {'PATH': os.path.abspath('prefix/bin')}):
                self.assertEqual(program.find(), os.path.realpath(PROGRAM))

    def test_a_missing_program(self):
        model = self.ready()
        model.program = '/nowhere/spinnsim'
        with self.assertRaisesRegex(ProgramMissing, '/nowhere/spinnsim is no program.*build it'):
            model.fit(self.x, self.y, **HOST)
        self.assertEqual(os.listdir(), [])

    def test_its_messages(self):
        model = self.ready()
        before = model.get_weights()
        with self.assertRaisesRegex(RunFailed, 'train.*warm_ups.*unknown key') as caught:
            model.fit(self.x, self.y, settings={'train.warm_ups': 1}, **HOST)
        self.assertEqual(caught.exception.status, 2)
        self.assertNotIn(self.temporary, caught.exception.message)
        self.assertSameArrays(model.get_weights(), before)
        pathlib.Path('odd.yaml').write_text('board: {shape: round}\n', encoding='utf-8')
        with self.assertRaisesRegex(RunFailed, 'odd.yaml:1.*round'):
            model.fit(self.x, self.y, board='odd.yaml')

    def test_a_program_that_fails(self):
        model = self.ready()
        for text, status, message in [('echo out of space >&2; exit 1', 1, 'out of space'), ('exit 3', 3, 'ended with status 3'),
                                      ('kill -9 $$', -9, 'ended with status -9')]:
            model.program = self.script(text)
            with self.assertRaisesRegex(RunFailed, message) as caught:
                model.fit(self.x, self.y, **HOST)
            self.assertEqual(caught.exception.status, status)
        model.program = self.script('exit 0')
        with self.assertRaisesRegex(SpinnsimError, 'the run left no summary.json'):
            model.fit(self.x, self.y, **HOST)

    def test_a_disk_that_is_full(self):
        if not os.path.exists('/dev/full'):
            self.skipTest('there is no /dev/full')
        with self.assertRaisesRegex(SpinnsimError, 'cannot write /dev/full: No space left on device'):
            experiment.write_text('/dev/full', 'some text')
        with self.assertRaisesRegex(SpinnsimError, 'cannot write /dev/full: No space left on device'):
            experiment.write_archive('/dev/full', {'x': self.x})
        with mock.patch('tempfile.TemporaryDirectory', side_effect=OSError(28, 'No space left on device')):
            with self.assertRaisesRegex(SpinnsimError, 'cannot write the experiment: .*No space left'):
                self.ready().fit(self.x, self.y, **HOST)

    def test_wrong_arguments(self):
        model = self.ready()
        for keys, message in [
                ({'backend': 'gpu'}, "no backend 'gpu'"), ({'board': 'spinn7'}, "no board 'spinn7'; one of: one_chip"),
                ({'epochs': 0}, 'epochs is 0'), ({'batch_size': 1.5}, 'batch_size is 1.5'), ({'epochs': 1001}, '1001 epochs'),
                ({'validation_data': self.x}, 'a pair'), ({'number_format': 'int4'}, "no number_format 'int4'"),
                ({'settings': {'seed.a': 1}}, 'settings: seed.a is not below a group'), ({'threads': 0}, 'threads is 0')]:
            with self.subTest(message), self.assertRaisesRegex(UsageError, message):
                model.fit(self.x, self.y, **keys)
        with self.assertRaisesRegex(UsageError, 'there is a label 3'):
            model.fit(self.x, self.y + 1)
        with self.assertRaisesRegex(NotCompiled, 'compile the model first'):
            dense().fit(self.x, self.y)
        for arguments, message in [(('adamw',), "no optimizer 'adamw'"), (('sgd', 'mae'), "no loss 'mae'"),
                                   (('sgd', 'mse', ['auc']), "no metric 'auc'")]:
            with self.assertRaisesRegex(UsageError, message):
                model.compile(*arguments)

    def test_without_installation(self):
        """From the checkout by PYTHONPATH, in a process of its own."""
        code = 'import spinnsim; print(spinnsim.Dense.__module__)'
        said = subprocess.run([sys.executable, '-B', '-c', code], check=True, capture_output=True, text=True,
                              env=os.environ | {'PYTHONPATH': str(program.HERE.parent)}).stdout
        self.assertEqual(said, 'spinnsim.layers\n')


class Foreign(common.InAnEmptyFolder):
    def test_files_that_are_no_models(self):
        for path, message in [('model.pb', 'expected one of .yaml, .onnx'), ('missing.onnx', 'there is no file missing.onnx')]:
            with self.assertRaisesRegex(UsageError, message):
                load_model(path)
        with self.assertRaisesRegex(UsageError, 'int is no model of Keras'):
            from_keras(3)

    def test_import_is_called_with_its_arguments(self):
        """A program that writes down its arguments, and what `spinnsim import` leaves."""
        model = dense(seed=4)
        model.save('given')
        for name in ('model.onnx', 'model.keras'):
            pathlib.Path(name).touch()
        path = pathlib.Path('program')
        path.write_text(f'#!/bin/sh\necho "$@" > {self.here}/said\nmkdir networks\n'
                        f'for i in yaml npz; do cp {self.here}/given.$i networks/imported.$i; done\n', encoding='utf-8')
        path.chmod(0o755)
        found = load_model('model.onnx', input_scale='1/255', data='images', program=str(path.resolve()))
        self.assertSameArrays(found.get_weights(), model.get_weights())
        self.assertEqual(pathlib.Path('said').read_text(encoding='utf-8'), f'import {self.here}/model.onnx --out imported.yaml '
                         f'--data {self.here}/images --input-scale 1/255\n')

        # arrays become a file: [image][channel][row][column]
        path.write_text(path.read_text(encoding='utf-8') + f'cp "$6" {self.here}/sent.npz\n', encoding='utf-8')
        x, y = blobs(6, channels=2)
        load_model('model.onnx', data=(x / 255.0, y), program=str(path.resolve()))
        with numpy.load('sent.npz') as sent:
            self.assertSameArrays([sent['x'], sent['y']], [x.transpose(0, 3, 1, 2), y.astype(numpy.uint8)])
        for wrong, said in (((x, y[:5]), '6 labels'), ((x, y - 3), '6 labels'), ((x[0, 0], y), r'shape \(4, 2\)'), (x, 'a pair')):
            with self.assertRaisesRegex(UsageError, said):
                load_model('model.onnx', data=wrong, program=str(path.resolve()))
        path.write_text(path.read_text(encoding='utf-8').rsplit('cp', 1)[0], encoding='utf-8')

        class OfKeras:
            layers = []

            def save(self, path):
                pathlib.Path(path).touch()
        nowhere = {'SPINNSIM_DATA': '', 'XDG_CACHE_HOME': f'{self.here}/cache'}
        with mock.patch.dict(os.environ, nowhere):
            self.assertSameArrays(from_keras(OfKeras(), program=str(path.resolve())).get_weights(), model.get_weights())
        self.assertRegex(pathlib.Path('said').read_text(encoding='utf-8'), r'^import \S+/model\.keras --out imported\.yaml\n$')

        # the program runs elsewhere, and MNIST is where the script runs
        for folder, named in (('data/mnist', ''), ('digits', 'digits')):
            pathlib.Path(folder).mkdir(parents=True)
            with mock.patch.dict(os.environ, nowhere | {'SPINNSIM_DATA': named}):
                load_model('model.onnx', program=str(path.resolve()))
            self.assertTrue(pathlib.Path('said').read_text(encoding='utf-8').endswith(f' --data {self.here}/{folder}\n'))

    def test_a_torch_model(self):
        try:
            import torch
        except ImportError:
            self.skipTest('PyTorch is not installed')
        if not has_import():
            self.skipTest('this program has no `spinnsim import`')
        torch.manual_seed(1)
        module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 5), torch.nn.ReLU(), torch.nn.Linear(5, 3))
        x, y = blobs(50)
        model = from_torch(module, torch.zeros(1, 1, 4, 4), input_scale='1/255', data=(x, y), program=PROGRAM)
        expected = module(torch.tensor(x.transpose(0, 3, 1, 2) / 255.0).float()).detach().numpy()
        self.assertGreaterEqual((model.predict(x).argmax(axis=1) == expected.argmax(axis=1)).sum(), 49)

    def test_a_keras_model(self):
        try:
            import keras
        except ImportError:
            self.skipTest('Keras is not installed')
        if not has_import():
            self.skipTest('this program has no `spinnsim import`')
        given = keras.Sequential([keras.layers.Input((4, 4, 1)), keras.layers.Flatten(), keras.layers.Dense(5, activation='relu'),
                                  keras.layers.Dense(3, activation='softmax')])
        x, y = blobs(50)
        model = from_keras(given, input_scale='1/255', data=(x, y), program=PROGRAM)
        self.assertGreaterEqual((model.predict(x).argmax(axis=1) == given.predict(x / 255.0).argmax(axis=1)).sum(), 49)


class Examples(common.InAnEmptyFolder):
    """The scripts of sim/python/examples, in few images."""

    def run_script(self, name, *arguments):
        path = program.HERE.parent / 'examples' / name
        done = subprocess.run([sys.executable, '-B', str(path), *arguments, '--program', PROGRAM], capture_output=True, text=True,
                              check=False, env=os.environ | {'PYTHONPATH': str(program.HERE.parent)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(), [])
        return done.stdout

    def test_xor(self):
        said = self.run_script('xor.py')
        self.assertIn('0 xor 1 = 1', said)
        self.assertIn('1 xor 1 = 0', said)

    def test_mlp(self):
        said = self.run_script('mlp.py', '--generated', '--images', '64', '--backend', 'host')
        self.assertRegex(said, r'machine and host agree on 64 of 64 images')

    def test_own_data(self):
        self.assertRegex(self.run_script('own_data.py'), r'machine and host agree on \d+ of \d+ images')

    def test_lenet5_from_onnx(self):
        """As PyTorch's users write it: padding 2, average pools, 61,706 parameters."""
        if not has_import():
            self.skipTest('this program has no `spinnsim import`')
        try:
            import torch
            datasets.mnist.load_data()
        except (ImportError, UsageError) as error:
            self.skipTest(f'PyTorch makes the file, MNIST has the images: {error}')
        torch.manual_seed(1)
        layers = torch.nn
        module = layers.Sequential(layers.Conv2d(1, 6, 5, padding=2), layers.Tanh(), layers.AvgPool2d(2),
                                   layers.Conv2d(6, 16, 5), layers.Tanh(), layers.AvgPool2d(2), layers.Flatten(),
                                   layers.Linear(400, 120), layers.Tanh(), layers.Linear(120, 84), layers.Tanh(),
                                   layers.Linear(84, 10))
        path = os.path.join(self.place, 'lenet5.onnx')
        torch.onnx.export(module, torch.zeros(1, 1, 28, 28), path)
        self.assertIn('behind an epoch of 480 images', self.run_script('lenet5_from_onnx.py', path))


if __name__ == '__main__':
    unittest.main()
