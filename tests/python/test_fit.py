"""fit, predict and evaluate, on the modelled machine and on the host: equal bits, and a second fit that goes on."""
import json
import os
import subprocess
import unittest

import numpy

import common
from common import CHIP, HOST, PROGRAM, blobs, dense
from spinnsim import (SGD, Adam, AveragePooling2D, Conv2D, Dense, Flatten, Input, MaxPooling2D, NotCompiled, Sequential,
                      UsageError, arithmetic, results)


def ready(optimizer='adam', **options):
    model = dense(**options)
    model.compile(optimizer, metrics=['accuracy'])
    return model


class Arithmetic(common.InAnEmptyFolder):
    """What numpy computes is what the program does, to the bit."""

    def test_the_first_weights_of_the_page(self):
        """docs/arithmetic.md, "Numbers to check by": fc128, seed 11."""
        model = Sequential([Input((28, 28)), Dense(128, activation='relu'), Dense(10, activation='softmax')], seed=11)
        hidden, output = (pair[0].reshape(-1)[:5].tolist() for pair in model._numbers().values())
        self.assertEqual(hidden, [-10, -193, -399, -185, 546])
        self.assertEqual(output, [-731, -118, -21, -1216, -661])

    def test_table_activations_of_the_page(self):
        for name, values in (('sigmoid', [1269, 779]), ('tanh', [927, -927]), ('scaled_tanh', [1105, -1105])):
            self.assertEqual(arithmetic.activate(name, numpy.array([1000, -1000]), 11).tolist(), values)

    def networks(self):
        yield 'dense', dense(dropout=0.2), ('int16', 's16.15', 'float32')
        yield 'convolution', Sequential([Input((9, 9, 2)), Conv2D(3, 4, activation='relu'), MaxPooling2D(2), Flatten(),
                                         Dense(3, activation='softmax')]), ('int16', 's16.15')
        yield 'operators', Sequential([Input((12, 12, 1)), Conv2D(3, 3, 2, 1, activation='tanh'), AveragePooling2D(2),
                                       Conv2D(4, 3, padding='same', activation='sigmoid'),
                                       Dense(5, activation='scaled_tanh'), Dense(3, activation='softmax')]), ('int16',)

    def test_logits_of_trainings(self):
        for name, made, formats in self.networks():
            for number_format in formats:
                with self.subTest(name, number_format=number_format):
                    model = Sequential(made._layers, program=PROGRAM)
                    side, _, channels = model.network.input
                    x, y = blobs(40, side, 3, channels)
                    model.compile(SGD(0.1, momentum=0.9))
                    model.fit(x, y, 8, 2, validation_data=(x[:20], y[:20]), number_format=number_format, folder='out', **HOST)
                    found = results.logits('out/out', 3)
                    numpy.testing.assert_array_equal(model.predict(x[:20], logits=True), found)
                    self.assertGreater(len(numpy.unique(found)), 10)


class Fit(common.InAnEmptyFolder):
    x, y = blobs(48)

    def test_history(self):
        model = ready()
        history = model.fit(self.x, self.y, batch_size=16, epochs=3, **CHIP)
        self.assertEqual(sorted(history.history), ['accuracy', 'joules', 'loss', 'seconds'])
        self.assertEqual(history.epoch, [0, 1, 2])
        for values in history.history.values():
            self.assertEqual(len(values), 3)
        self.assertGreater(history.history['loss'][0], history.history['loss'][2])
        seconds, joules = history.history['seconds'], history.history['joules']
        self.assertTrue(all(1e-4 < one < 0.1 for one in seconds), seconds)
        self.assertLess(max(seconds) / min(seconds), 1.2)
        self.assertTrue(all(1e-5 < one < 0.1 for one in joules), joules)
        self.assertEqual(history.summary['updates'], 9)
        self.assertEqual(len(history.stats_hash), 64)
        self.assertEqual(history.history['accuracy'][2], model.evaluate(self.x, self.y)[1])
        self.assertEqual(os.listdir(), [])

    def test_validation(self):
        model = ready()
        other = blobs(30, seed=6)
        history = model.fit(self.x, self.y, 16, 2, validation_data=other, **HOST)
        self.assertEqual(sorted(history.history), ['joules', 'loss', 'seconds', 'val_accuracy', 'val_loss'])
        loss, accuracy = model.evaluate(*other)
        self.assertAlmostEqual(history.history['val_loss'][1], loss, 6)
        self.assertEqual(history.history['val_accuracy'][1], accuracy)
        self.assertTrue(numpy.isnan(history.history['seconds']).all(), 'the host has no seconds of the machine')

    def test_the_machine_and_the_host_come_to_equal_weights(self):
        one, other = ready(dropout=0.25), ready(dropout=0.25)
        one.fit(self.x, self.y, 16, 2, **CHIP)
        other.fit(self.x, self.y, 16, 2, **HOST)
        self.assertSameArrays(one.get_weights(), other.get_weights())

    def test_twice_is_as_one_fit(self):
        for optimizer in ('adam', SGD(0.1, momentum=0.9), SGD(0.1)):
            whole, parts = ready(optimizer, dropout=0.25), ready(optimizer, dropout=0.25)
            whole.fit(self.x, self.y, 16, 4, **HOST)
            first = parts.fit(self.x, self.y, 16, 1, **HOST)
            before = parts.predict(self.x, logits=True)
            second = parts.fit(self.x, self.y, 16, 2, **CHIP)
            between = parts.predict(self.x, logits=True)
            parts.fit(self.x, self.y, 16, 1, **HOST)
            self.assertSameArrays(parts.get_weights(), whole.get_weights())
            self.assertTrue((before != between).any())
            self.assertEqual((first.epoch, second.epoch), ([0], [1, 2]))
            self.assertEqual(parts.epochs_done, 4)

    def test_goes_on_with_other_images_batches_and_weights(self):
        model = ready()
        model.fit(self.x, self.y, 16, 2, **HOST)
        model.fit(self.x[:10], self.y[:10], 5, 1, **HOST)
        given = [one / 2 for one in model.get_weights()]
        model.set_weights(given)
        history = model.fit(self.x, self.y, 48, 1, **HOST)
        self.assertEqual(history.epoch, [3])
        self.assertEqual(model._state.updates, 6 + 2 + 1)
        self.assertLess(max(numpy.abs(a - b).max() for a, b in zip(model.get_weights(), given)), 0.05)

    def test_compile_begins_the_state_anew(self):
        model, other = ready(), ready()
        model.fit(self.x, self.y, 16, 1, **HOST)
        other.set_weights(model.get_weights())
        model.compile(Adam(0.01))
        other.compile(Adam(0.01))
        for one in (model, other):
            one.fit(self.x, self.y, 16, 1, **HOST)
        self.assertSameArrays(model.get_weights(), other.get_weights())

    def test_other_formats_go_on_without_state_and_say_so(self):
        model = ready(SGD(0.1, momentum=0.9))
        model.fit(self.x, self.y, 16, 1, number_format='float32', **HOST)
        with self.assertWarnsRegex(UserWarning, 'the state of the optimizer begins anew: float32 has no checkpoints'):
            model.fit(self.x, self.y, 16, 1, **HOST)
        model._use_format('int16')
        self.assertEqual(model.get_weights()[0].dtype, numpy.float32)
        with self.assertRaisesRegex(UsageError, "trains only in s16.15: backend='host'"):
            model._use_format('s16.15')
            model.predict(self.x, backend='spinnaker')

    def test_callbacks(self):
        class Recorder:
            def __init__(self):
                self.said = []

            def on_train_begin(self, model):
                self.said.append(('begin', model.epochs_done))

            def on_epoch_end(self, epoch, logs, model):
                self.said.append((epoch, sorted(logs), model.epochs_done))
                model.stop_training = epoch == 1
        recorder, model, whole = Recorder(), ready(), ready()
        history = model.fit(self.x, self.y, 16, 5, callbacks=[recorder], **HOST)
        keys = ['accuracy', 'joules', 'loss', 'seconds']
        self.assertEqual(recorder.said, [('begin', 0), (0, keys, 1), (1, keys, 2)])
        self.assertEqual(history.epoch, [0, 1])
        whole.fit(self.x, self.y, 16, 2, **HOST)
        self.assertSameArrays(model.get_weights(), whole.get_weights())

    def test_settings_reach_the_experiment(self):
        model = ready()
        model.fit(self.x, self.y, 16, 1, settings={'train.warm_up': 0.5, 'seed': 4}, folder='kept', **HOST)
        with open('kept/experiment.yaml', encoding='utf-8') as file:
            text = file.read()
        self.assertIn('warm_up: 0.5', text)
        self.assertIn('\nseed: 4\n', text)
        self.assertTrue(os.path.exists('kept/out/summary.json'))


class SameAsYaml(common.InAnEmptyFolder):
    def test_a_yaml_experiment_has_the_same_hash(self):
        x, y = blobs(48)
        model = ready(SGD(0.1, momentum=0.9), name='tiny')
        history = model.fit(x, y, 16, 2, **CHIP)
        numpy.savez('images.npz', x=x[..., 0], y=y)
        os.mkdir('networks')
        with open('networks/tiny.yaml', 'w', encoding='utf-8') as file:
            file.write('''name: tiny
variant: modern
input: {channels: 1, height: 4, width: 4}
formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}
layers:
  - {name: dense1, type: dense, units: 6, activation: relu}
  - {name: dense2, type: dense, units: 3, activation: softmax}
''')
        with open('own.yaml', 'w', encoding='utf-8') as file:
            file.write('''include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]
name: own
mode: train
seed: 1
data: {set: files, train: images.npz, test: images.npz}
network: {name: tiny, number_format: int16}
mapping: {kind: replica_per_chip, cores_per_chip: 4, cores_per_image: 4, chips: 1}
train: {epochs: 2, global_batch: 16, optimizer: momentum, momentum: 0.9, learning_rate: 0.1, reduction: mean, warm_up: 0, decay: none}
''')
        subprocess.run([PROGRAM, 'run', 'own.yaml', '--out', 'out'], check=True, capture_output=True)
        with open('out/summary.json', encoding='utf-8') as file:
            self.assertEqual(json.load(file)['identity']['stats_hash'], history.stats_hash)
        trained = results.archive('out/weights.npz')
        for name, pair in model._numbers().items():
            self.assertSameArrays(pair, (trained[f'{name}.weights'], trained[f'{name}.biases']))


class Machine(common.InAnEmptyFolder):
    """Classification: image by image as numpy computes it."""

    def test_logits_and_classes(self):
        x, y = blobs(60)
        model = ready()
        model.fit(x, y, 20, 3, **HOST)
        machine = model.predict(x, backend='spinnaker', logits=True)
        numpy.testing.assert_array_equal(machine, model.predict(x, logits=True))
        numpy.testing.assert_array_equal(model.predict(x, backend='spinnaker'), model.predict(x))
        found = model.evaluate(x, y, backend='spinnaker', return_dict=True)
        self.assertEqual([found['loss'], found['accuracy']], model.evaluate(x, y))
        self.assertGreater(found['seconds'], 0)
        self.assertGreater(found['joules'], 0)
        self.assertEqual(os.listdir(), [])

    def test_an_imported_factor_is_of_probabilities(self):
        """And a training takes the sums as they are."""
        x, y = blobs(30)
        plain, model = ready(), ready(logit_factor=0.25)
        sums = model.predict(x, logits=True)
        numpy.testing.assert_array_equal(sums, plain.predict(x, logits=True))
        numpy.testing.assert_array_equal(sums, model.predict(x, backend='spinnaker', logits=True))
        numpy.testing.assert_array_equal(model.predict(x), model.predict(x, backend='spinnaker'))
        odds, fourth = [numpy.log(m.predict(x)[:, 0] / m.predict(x)[:, 1]) for m in (model, plain)]
        numpy.testing.assert_allclose(odds, 4 * fourth, rtol=1e-9, atol=1e-9)
        for m in (model, plain):
            m.fit(x, y, 10, 1, **HOST)
        numpy.testing.assert_array_equal(model.predict(x), plain.predict(x))

    def test_convolutions_of_several_channels_and_classes(self):
        model = Sequential([Input((10, 8, 3)), Conv2D(4, 3, activation='relu'), MaxPooling2D(2), Dense(7, activation='softmax')],
                           program=PROGRAM, seed=3)
        x = numpy.random.default_rng(2).integers(0, 256, (17, 10, 8, 3), dtype=numpy.uint8)
        z = model.predict(x, backend='spinnaker', logits=True)
        self.assertEqual(z.shape, (17, 7))
        numpy.testing.assert_array_equal(z, model.predict(x, logits=True))

    def test_probabilities_are_those_of_doubles(self):
        """The same network in doubles, from the weights as a user gets them."""
        model = dense(seed=8)
        x, _ = blobs(20)
        w1, b1, w2, b2 = (one.astype(numpy.float64) for one in model.get_weights())
        z = numpy.maximum(x.reshape(20, 16) / 256 @ w1 + b1, 0) @ w2 + b2
        expected = numpy.exp(z) / numpy.exp(z).sum(axis=1, keepdims=True)
        numpy.testing.assert_allclose(model.predict(x), expected, atol=2e-3)


if __name__ == '__main__':
    unittest.main()
