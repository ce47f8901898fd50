"""Layers to network files, and back; what is no network."""
import os
import tempfile
import unittest

import numpy

import common
from spinnsim import (Activation, AveragePooling2D, Conv2D, Dense, Dropout, Flatten, GlobalAveragePooling2D, Input,
                      MaxPooling2D, Sequential, UsageError, network, yaml_text)

END = Dense(3, activation='softmax')


class Layers(unittest.TestCase):
    def test_a_network_file(self):
        model = Sequential([Input((28, 28, 1)), Conv2D(4, 5, padding=2), Activation('relu'), MaxPooling2D(2),
                            Conv2D(8, (3, 3), strides=2, activation='tanh', name='second'), AveragePooling2D((2, 2), 1),
                            Flatten(), Dense(12, activation='relu'), Dropout(0.25), Dense(10, activation='softmax')])
        self.assertEqual(model.network.text(), '''name: model
variant: modern
input: {channels: 1, height: 28, width: 28}
formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}
layers:
  - {name: conv1, type: conv2d, maps: 4, kernel: 5, activation: relu, padding: 2}
  - {name: pool1, type: max_pool2d, size: 2}
  - {name: second, type: conv2d, maps: 8, kernel: 3, activation: tanh, stride: 2}
  - {name: pool2, type: average_pool2d, size: 2, stride: 1}
  - {name: dense1, type: dense, units: 12, activation: relu, dropout: 0.25}
  - {name: dense2, type: dense, units: 10, activation: softmax}
''')
        self.assertEqual(model.network.placed[-2].input, (5, 5, 8))
        self.assertEqual(model.count_params(), 4 * 26 + 8 * 37 + 12 * 201 + 10 * 13)

    def test_the_same_layers_added_one_by_one(self):
        model = Sequential()
        for layer in (Flatten(input_shape=(28, 28)), Dense(12, activation='relu'), Dense(10, activation='softmax')):
            model.add(layer)
        self.assertEqual(model.count_params(), 12 * 785 + 10 * 13)
        with self.assertRaisesRegex(UsageError, 'the model is complete'):
            model.add(Dense(2))

    def test_a_summary(self):
        said = []
        common.dense(dropout=0.2).summary(said.append)
        self.assertEqual(said, ['''model
layer   type                       output     parameters
dense1  dense (relu, dropout 0.2)  1 x 1 x 6         102
dense2  dense (softmax)            1 x 1 x 3          21
all                                                  123'''])

    def test_global_pool(self):
        model = Sequential([Input((6, 6, 2)), Conv2D(4, 3), GlobalAveragePooling2D(), END])
        self.assertIn('{name: pool1, type: average_pool2d, size: 4}', model.network.text())

    def test_what_is_no_network(self):
        image = Input((8, 8, 1))
        for layers, message in [
                ([END], 'the first layer is to be Input'),
                ([image], 'at least one layer'),
                ([image, image, END], 'Input is the first layer'),
                ([image, 'dense', END], "'dense' is no layer of spinnsim"),
                ([image, Dense(4), Conv2D(2, 3), END], 'Conv2D behind Flatten or Dense'),
                ([image, Flatten(), MaxPooling2D(2), END], 'MaxPooling2D behind Flatten or Dense'),
                ([image, Conv2D(2, 3), Dropout(0.2), END], 'Dropout goes behind a hidden Dense layer only'),
                ([image, END, Dropout(0.2)], 'not behind the outputs'),
                ([image, Dense(4, activation='relu'), Activation('relu'), END], 'Activation goes directly behind'),
                ([image, Dense(4, activation='softmax'), END], 'softmax is the activation of the last layer only'),
                ([image, Dense(4)], "the last layer is to be Dense"),
                ([image, Dense(300, activation='softmax')], '300 classes, expected 2 to 256'),
                ([image, Conv2D(2, 9), END], 'a window of 9 x 9 is larger than 8 x 8'),
                ([image, Dense(4, name='a'), Dense(3, activation='softmax', name='a')], 'two layers are named a'),
                ([image, *[Dense(2) for _ in range(32)], END], '33 layers, at most 32')]:
            with self.subTest(message), self.assertRaisesRegex(UsageError, message):
                Sequential(layers).network  # pylint: disable=expression-not-assigned

    def test_wrong_arguments(self):
        for make, message in [
                (lambda: Dense(0), 'units is 0'), (lambda: Dense(2.5), 'units is 2.5'), (lambda: Dense(True), 'units is True'),
                (lambda: Dense(2, activation='gelu'), "no activation 'gelu'; one of: linear"),
                (lambda: Conv2D(2, (3, 5)), 'square'), (lambda: Conv2D(2, 4, padding='same'), 'an odd kernel'),
                (lambda: Conv2D(2, 3, strides=2, padding='same'), 'a stride of 1'),
                (lambda: MaxPooling2D(2, padding='same'), "windows do not go beyond the input here"),
                (lambda: Dropout(0.5), 'expected 0 to 0.49'), (lambda: Dropout(float('nan')), 'expected 0 to 0.49'),
                (lambda: Input((28, 28, 1, 1)), '4 dimensions'), (lambda: Input((28, 0)), 'a side is 0'),
                (lambda: Dense(2, name='a layer'), 'is no name of a layer'),
                (lambda: Sequential([END], number_format='int8'), "no number_format 'int8'"),
                (lambda: Sequential([END], initializer='zeros'), "no initializer 'zeros'"),
                (lambda: common.dense(weight_fraction=20), 'weight_fraction is 20')]:
            with self.subTest(message), self.assertRaisesRegex(UsageError, message):
                make()


class NetworkFiles(unittest.TestCase):
    def test_shipped_networks_come_back(self):
        folder = os.path.join(os.path.dirname(__file__), '..', '..', 'configs', 'networks')
        for name in ('lenet1', 'lenet5', 'fc128_dropout', 'fc300_100'):
            with self.subTest(name):
                layers, formats, found = network.read(os.path.join(folder, f'{name}.yaml'))
                again = yaml_text.read(network.Network(layers, **formats).text())
                self.assertEqual(again['layers'], found['layers'])
                self.assertEqual(again['input'], found['input'])

    def test_a_factor_of_an_imported_network(self):
        model = Sequential([Input((8, 8, 1)), END], logit_factor=0.0116875)
        self.assertIn('input_shift: 3, logit_factor: 0.0116875}', model.network.text())
        with tempfile.NamedTemporaryFile('w', suffix='.yaml') as file:
            file.write(model.network.text())
            file.flush()
            formats = network.read(file.name)[1]
        self.assertEqual(formats, {'weight_fraction': 13, 'activation_fraction': 11, 'logit_factor': 0.0116875, 'name': 'model'})
        plain = Sequential([Input((8, 8, 1)), END])
        x = numpy.full((1, 8, 8), 200, numpy.uint8)
        expected = numpy.log(plain.predict(x)) / 0.0116875
        found = numpy.log(model.predict(x))
        numpy.testing.assert_allclose(found - found.max(), expected - expected.max(), rtol=1e-9)

    def test_layers_that_are_not_ours(self):
        with self.assertRaisesRegex(UsageError, 'no layer of type rbf'):
            network._of_row({'name': 'a', 'type': 'rbf', 'units': 10})
        with self.assertRaisesRegex(UsageError, 'this package has no links'):
            network._of_row({'name': 'a', 'type': 'conv2d', 'maps': 1, 'kernel': 3, 'links': [[0]]})


class YamlText(unittest.TestCase):
    def test_scalars(self):
        for value, text in [(0.1, '0.1'), (1e-9, '0.000000001'), (2.0**-40, '0.0000000000009094947017729282'), (3.0, '3.0'),
                            (True, 'true'), (None, 'null'), ('no', "'no'"), ("it's", "'it''s'"), ('a b.npz', 'a b.npz'),
                            ('100 s', "'100 s'"), ('/a:b', "'/a:b'"), (numpy.int64(3), '3')]:
            with self.subTest(text):
                self.assertEqual(yaml_text.scalar(value), text)
        with self.assertRaisesRegex(UsageError, 'line break'):
            yaml_text.scalar('a\nb')

    def test_what_is_written_comes_back(self):
        keys = {'name': 'a', 'list': [1, -2.5, 'x y', [True, None]], 'map': {'a': {'b': "it's: #1"}, 'c': 'd'}}
        self.assertEqual(yaml_text.read(yaml_text.document(keys)), keys)

    def test_comments_and_blocks(self):
        text = '# head\na: {b: 1}   # one, two\nc:\n  d: 2\n  e: "f # g"\nh:\n  - {i: 3}\n  - [4]\n'
        self.assertEqual(yaml_text.read(text), {'a': {'b': 1}, 'c': {'d': 2, 'e': 'f # g'}, 'h': [{'i': 3}, [4]]})

    def test_other_text_is_refused(self):
        for text in ('a: {b: 1', 'a: [1, 2', 'a: }', '- 1', 'a: "b', 'a: {1 2}', 'no colon', 'a:\n  - 1\n  b: 2'):
            with self.subTest(text), self.assertRaises(UsageError):
                yaml_text.read(text, 'file')


if __name__ == '__main__':
    unittest.main()
