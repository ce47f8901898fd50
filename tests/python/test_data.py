"""Images, labels and weights as a user has them."""
import gzip
import os
import struct
import time

import numpy

import common
from spinnsim import Conv2D, Dense, Flatten, Input, MaxPooling2D, Sequential, UsageError, datasets, experiment, images


class Pixels(common.InAnEmptyFolder):
    network = common.dense().network

    def test_integers_and_reals_become_bytes(self):
        bytes_of = numpy.arange(48, dtype=numpy.uint8).reshape(3, 4, 4) * 5
        expected = bytes_of[:, None]
        for what, x in [('bytes', bytes_of), ('with a channel', bytes_of[..., None]), ('int64', bytes_of.astype(numpy.int64)),
                        ('p/255', bytes_of / 255.0), ('p/255 in float32', bytes_of.astype(numpy.float32) / 255),
                        ('p/256', bytes_of / 256), ('a list', bytes_of.tolist())]:
            with self.subTest(what):
                found = images.images_of(x, self.network)
                self.assertEqual((found.dtype, found.shape), (numpy.uint8, (3, 1, 4, 4)))
                numpy.testing.assert_array_equal(found, expected)

    def test_every_byte_by_either_scale(self):
        every = numpy.arange(256).reshape(16, 4, 4)
        for scale in (255.0, 256.0):
            for kind in (numpy.float32, numpy.float64):
                numpy.testing.assert_array_equal(images.images_of((every / scale).astype(kind), self.network)[:, 0], every)
        numpy.testing.assert_array_equal(images.images_of(every % 2 == 1, self.network)[:, 0], every % 2 * 255)

    def test_the_bytes_of_a_plain_computation(self):
        """More values than are worked on at once, and values that wrap around to a byte."""
        x = numpy.random.default_rng(3).integers(0, 256, (9000, 4, 4)).astype(numpy.float32) / numpy.float32(255)
        numpy.testing.assert_array_equal(images.images_of(x, self.network)[:, 0], numpy.rint(x.astype(numpy.float64) * 255))
        for wrong in (256 / 255, 511 / 255, -1 / 255, 2**32 / 255, 1e30, numpy.inf, numpy.nan):
            x[8999, 3, 3] = wrong
            with self.subTest(wrong), self.assertRaises(UsageError):
                images.images_of(x, self.network)

    def test_60000_images_cost_less_than_0_3_seconds(self):
        """Of the processor: the bound on what `fit` costs beside its run.  Some 0.09 s where it was measured."""
        network = Sequential([Input((28, 28)), Dense(2, activation='softmax')]).network
        x = numpy.random.default_rng(1).integers(0, 256, (60000, 28, 28), dtype=numpy.uint8) / numpy.float32(255)
        y = numpy.zeros(60000, numpy.uint8)
        before = time.process_time()
        experiment.write_images('images.npz', images.images_of(x, network), images.labels_of(y, 60000, network))
        self.assertLess(time.process_time() - before, 0.3)
        os.remove('images.npz')

    def test_channels_come_first(self):
        network = Sequential([Input((2, 3, 2)), Dense(2, activation='softmax')]).network
        found = images.images_of(numpy.arange(12, dtype=numpy.uint8).reshape(1, 2, 3, 2), network)
        numpy.testing.assert_array_equal(found, [[[[0, 2, 4], [6, 8, 10]], [[1, 3, 5], [7, 9, 11]]]])

    def test_what_is_no_image(self):
        some = numpy.full((2, 4, 4), 0.5)
        for x, message in [(some, r'0.5 is neither a multiple of 1/255 nor of 1/256'.replace('0.5 is', '')),
                           (some - 1, '-0.5 to -0.5, expected 0 to 1'), (some * 400, '0 to 255 as integers'),
                           (some * numpy.nan, 'no finite numbers'), (numpy.full((2, 4, 4), 256), '256 to 256, expected 0 to 255'),
                           (numpy.full((2, 4, 4), -1), '-1 to -1'), (numpy.zeros((2, 4, 5)), r'\(2, 4, 5\), expected \(n, 4, 4, 1\)'),
                           (numpy.zeros((4, 4)), 'the shape'), (numpy.zeros((0, 4, 4)), 'no images'), (3, 'the shape'),
                           (numpy.full((2, 4, 4), 'a'), 'is no number'), (numpy.full((2, 4, 4), 1j), 'is no number')]:
            with self.subTest(message):
                if 'neither' in message:
                    x = x + 0.0007
                with self.assertRaisesRegex(UsageError, message):
                    images.images_of(x, self.network)


class Labels(common.InAnEmptyFolder):
    network = common.dense().network

    def test_numbers_and_single_ones(self):
        for y in ([0, 2, 1], [[0], [2], [1]], [0.0, 2.0, 1.0], [[1, 0, 0], [0, 0, 1], [0, 1, 0]], numpy.array([0, 2, 1], 'u1')):
            found = images.labels_of(y, 3, self.network)
            self.assertEqual((found.dtype, found.tolist()), (numpy.uint8, [0, 2, 1]))

    def test_what_is_no_label(self):
        for y, message in [([0, 3, 1], 'there is a label 3, but the last layer has 3 classes: 0 to 2'), ([0, -1, 1], 'a label -1'),
                           ([0, 1], '2 labels for 3 images'), ([0, 1.5, 1], 'no whole number'), ([0, numpy.nan, 1], 'no whole'),
                           ([[1, 1, 0], [0, 0, 1], [0, 1, 0]], 'a single 1'), ([[1, 0], [0, 1], [0, 1]], r'\(3, 2\), expected'),
                           (['a', 'b', 'c'], 'no number')]:
            with self.subTest(message), self.assertRaisesRegex(UsageError, message):
                images.labels_of(y, 3, self.network)


class Weights(common.InAnEmptyFolder):
    def convolutions(self):
        return Sequential([Input((8, 6, 2)), Conv2D(3, 3, activation='relu'), MaxPooling2D(2), Flatten(),
                           Dense(5, activation='relu'), Dense(3, activation='softmax')], program=common.PROGRAM)

    def test_bytes_that_go_in_come_out(self):
        model = self.convolutions()
        draw = numpy.random.default_rng(1)
        shapes = [(3, 3, 2, 3), (3,), (3 * 2 * 3, 5), (5,), (5, 3), (3,)]
        self.assertEqual([one.shape for one in model.get_weights()], shapes)
        given = [(draw.integers(-32768, 32768, shape) / 8192).astype(numpy.float32) for shape in shapes]
        model.set_weights(given)
        self.assertSameArrays(model.get_weights(), given)

    def test_other_formats(self):
        draw = numpy.random.default_rng(1)
        for number_format, kind, scale in (('s16.15', numpy.float64, 2.0**15), ('float32', numpy.float32, 3.0)):
            model = common.dense(number_format=number_format)
            given = [(draw.integers(-2**30, 2**30, one.shape) / scale).astype(kind) for one in model.get_weights()]
            model.set_weights(given)
            self.assertSameArrays(model.get_weights(), given)

    def test_the_order_of_values_is_that_of_keras(self):
        model = self.convolutions()
        weights = [numpy.zeros(one.shape) for one in model.get_weights()]
        weights[0][1, 2, 0, 1] = 0.5     # row 1, column 2, of input map 0 to output map 1
        weights[2][(2 * 2 + 1) * 3 + 2, 4] = 0.25  # row 2, column 1, map 2 to unit 4
        model.set_weights(weights)
        convolution, hidden = (pair[0] for pair in list(model._numbers().values())[:2])
        self.assertEqual(numpy.argwhere(convolution).tolist(), [[1, 0, 1, 2]])
        self.assertEqual(numpy.argwhere(hidden.reshape(5, 3, 3, 2)).tolist(), [[4, 2, 2, 1]])

    def test_rounding_is_to_nearest_ties_upwards(self):
        model = common.dense(hidden=2, side=1, classes=2)
        lsb = 2.0**-13
        model.set_weights([numpy.array([[2.5 * lsb, -2.5 * lsb]]), numpy.array([2.49 * lsb, -2.51 * lsb]),
                           numpy.array([[4 - lsb, -4], [0, 0.4 * lsb]]), numpy.zeros(2)])
        found = [(one / lsb).tolist() for one in model.get_weights()]
        self.assertEqual(found, [[[3, -2]], [2, -3], [[32767, -32768], [0, 0]], [0, 0]])

    def test_what_are_no_weights(self):
        model = common.dense()
        good = model.get_weights()

        def spoilt(i, value):
            weights = [one.copy() for one in good]
            weights[i].flat[1] = value
            return weights
        for weights, message in [
                (good[:3], '3 arrays, expected 4'), (good[::-1], 'dense1.weights: float32 of'),
                (spoilt(0, numpy.nan), r'dense1.weights: the value at \[1, 0\] is nan'),
                (spoilt(3, numpy.inf), r'dense2.biases: the value at \[1\] is inf'),
                (spoilt(2, 4.0), 'dense2.weights: 1 values do not fit into int16, which has -4 to 4'),
                ([one.astype(str) for one in good], 'expected numbers')]:
            with self.subTest(message):
                with self.assertRaisesRegex(UsageError, message):
                    model.set_weights(weights)
                self.assertSameArrays(model.get_weights(), good)

    def test_files(self):
        for number_format in ('int16', 's16.15', 'float32'):
            model = common.dense(dropout=0.25, number_format=number_format, seed=9)
            model.save('a model.yaml')
            self.assertEqual(sorted(os.listdir()), ['a model.npz', 'a model.yaml'])
            again = Sequential.load('a model', program=common.PROGRAM)
            self.assertEqual(again.number_format, number_format)
            self.assertSameArrays(again.get_weights(), model.get_weights())
            self.assertEqual(again.network.text(), model.network.text())
        with self.assertRaisesRegex(UsageError, 'saved as NAME.yaml'):
            model.save('model.h5')
        with self.assertRaisesRegex(UsageError, 'cannot read missing.yaml'):
            Sequential.load('missing')


class Mnist(common.InAnEmptyFolder):
    @staticmethod
    def write(name, values, magic, packed=False):
        text = struct.pack('>I', magic) + b''.join(struct.pack('>I', one) for one in values.shape) + values.tobytes()
        with (gzip.open(f'{name}.gz', 'wb') if packed else open(name, 'wb')) as file:
            file.write(text)

    def test_reads_files_plain_or_packed(self):
        x = numpy.arange(2 * 784, dtype=numpy.uint8).reshape(2, 28, 28)
        y = numpy.array([3, 9], numpy.uint8)
        for split, packed in (('train', False), ('t10k', True)):
            self.write(f'{split}-images-idx3-ubyte', x, 0x803, packed)
            self.write(f'{split}-labels-idx1-ubyte', y, 0x801, packed)
        (x1, y1), (x2, y2) = datasets.mnist.load_data('.')
        for found in (x1, x2):
            numpy.testing.assert_array_equal(found, x)
        for found in (y1, y2):
            numpy.testing.assert_array_equal(found, y)
        with open('train-images-idx3-ubyte', 'r+b') as file:
            file.truncate(1000)
        with self.assertRaisesRegex(UsageError, 'is no file of MNIST, or damaged'):
            datasets.mnist.load_data('.')
        with self.assertRaisesRegex(UsageError, 'MNIST is not in elsewhere'):
            datasets.mnist.load_data('elsewhere')
