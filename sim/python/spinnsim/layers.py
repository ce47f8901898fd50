"""Layers: what a user writes, the rows of a network file that they become, and the two orders of weights.

A user's arrays are in Keras' order: images [row][column][channel], kernels [row][column][input][output], dense weights
[input][output].  The program's are [channel][row][column], [output][input][row][column] and [output][input].  Behind a
Flatten the inputs of a dense layer are in Keras' order (row, column, channel), so they are permuted, too.
"""
import re

import numpy

from .errors import UsageError

ACTIVATIONS = {None: 'identity', 'linear': 'identity', 'identity': 'identity', 'relu': 'relu', 'tanh': 'tanh',
               'sigmoid': 'sigmoid', 'scaled_tanh': 'scaled_tanh', 'softmax': 'softmax'}
NAME = re.compile(r'[a-z0-9_-]{1,16}$')  # as in a network file


def whole(value, what, least=1):
    """The number, if it is whole and not too small."""
    if isinstance(value, bool) or not isinstance(value, (int, numpy.integer)) or value < least:
        raise UsageError(f'{what} is {value!r}, expected a whole number from {least} on')
    return int(value)


def side(value, what, least=1):
    """One side of a square: a number, or two equal ones."""
    if isinstance(value, (tuple, list)):
        if len(value) != 2 or value[0] != value[1]:
            raise UsageError(f'{what} is {value!r}: windows and strides are square here')
        value = value[0]
    return whole(value, what, least)


def activation_of(name):
    """The program's name of an activation."""
    if callable(name):
        name = getattr(name, '__name__', name)
    if name not in ACTIVATIONS:
        known = ', '.join(key for key in ACTIVATIONS if key)
        raise UsageError(f'there is no activation {name!r}; one of: {known}')
    return ACTIVATIONS[name]


class Layer:
    """A layer that a network file has a row for, unless `kind` is None."""

    kind = None
    title = 'layer'

    def __init__(self, name=None):
        if name is not None and not NAME.match(name):
            raise UsageError(f'{name!r} is no name of a layer: 1 to 16 of a-z, 0-9, _ and -')
        self.name = name


class Input(Layer):
    """The shape of an image: (height, width, channels) or (height, width); one row of values is (1, n, 1)."""

    def __init__(self, shape, name=None):
        super().__init__(name)
        shape = (shape,) if isinstance(shape, (int, numpy.integer)) else tuple(shape)
        if not 1 <= len(shape) <= 3:
            raise UsageError(f'Input: the shape {shape} has {len(shape)} dimensions, expected (height, width, channels)')
        shape = tuple(whole(one, 'Input: a side') for one in shape)
        self.shape = {1: lambda n: (1, n, 1), 2: lambda h, w: (h, w, 1), 3: lambda h, w, c: (h, w, c)}[len(shape)](*shape)


class Flatten(Layer):
    """An image becomes a row of values; dense layers do that by themselves, too."""

    def __init__(self, name=None, input_shape=None):
        super().__init__(name)
        self.input_shape = input_shape


class Dropout(Layer):
    """Leaves out a share of the outputs of the dense layer before it, in training."""

    def __init__(self, rate, name=None):
        super().__init__(name)
        if not 0 <= rate <= 0.49:  # MOST_DROPOUT of sim/networks/layer_dense.c
            raise UsageError(f'Dropout: the share is {rate}, expected 0 to 0.49')
        self.rate = float(rate)


class Activation(Layer):
    """The activation of the layer before it."""

    def __init__(self, activation, name=None):
        super().__init__(name)
        self.activation = activation_of(activation)


class Dense(Layer):
    """Every input feeds every output."""

    kind, title = 'dense', 'dense'

    def __init__(self, units, activation=None, name=None, input_shape=None):
        super().__init__(name)
        self.units = whole(units, 'Dense: units')
        self.activation = activation_of(activation)
        self.input_shape = input_shape

    def of(self, shape):
        return (1, 1, self.units)

    def parts(self, shape):
        """Shapes of weights and biases in the program's order."""
        return (self.units, shape[0] * shape[1] * shape[2]), (self.units,)

    def outwards(self, weights, shape):
        height, width, channels = shape
        ours = weights.reshape(self.units, channels, height, width)
        return numpy.ascontiguousarray(ours.transpose(2, 3, 1, 0).reshape(-1, self.units))

    def inwards(self, weights, shape):
        height, width, channels = shape
        theirs = weights.reshape(height, width, channels, self.units)
        return numpy.ascontiguousarray(theirs.transpose(3, 2, 0, 1).reshape(self.units, -1))

    def row(self, dropout):
        return {'units': self.units, 'activation': self.activation} | ({'dropout': dropout} if dropout else {})


class Conv2D(Layer):
    """Cross-correlation with square windows."""

    kind, title = 'conv2d', 'conv'

    def __init__(self, filters, kernel_size, strides=1, padding='valid', activation=None, name=None, input_shape=None):
        super().__init__(name)
        self.filters = whole(filters, 'Conv2D: filters')
        self.kernel = side(kernel_size, 'Conv2D: kernel_size')
        self.stride = side(strides, 'Conv2D: strides')
        if padding == 'valid':
            self.padding = 0
        elif padding == 'same':
            if self.kernel % 2 == 0 or self.stride != 1:
                raise UsageError("Conv2D: padding 'same' needs an odd kernel and a stride of 1; others pad unevenly")
            self.padding = self.kernel // 2
        else:
            self.padding = whole(padding, "Conv2D: padding ('valid', 'same' or a number)", 0)
        self.activation = activation_of(activation)
        self.input_shape = input_shape

    def of(self, shape):
        sides = [(one + 2 * self.padding - self.kernel) // self.stride + 1 for one in shape[:2]]
        if min(sides) < 1:
            raise UsageError(f'Conv2D: a window of {self.kernel} x {self.kernel} is larger than {shape[0]} x {shape[1]}')
        return (*sides, self.filters)

    def parts(self, shape):
        return (self.filters, shape[2], self.kernel, self.kernel), (self.filters,)

    def outwards(self, weights, shape):
        return numpy.ascontiguousarray(weights.transpose(2, 3, 1, 0))

    def inwards(self, weights, shape):
        return numpy.ascontiguousarray(weights.transpose(3, 2, 0, 1))

    def row(self, dropout):
        more = {'stride': self.stride, 'padding': self.padding}
        return {'maps': self.filters, 'kernel': self.kernel, 'activation': self.activation} | {
            key: value for key, value in more.items() if value != {'stride': 1, 'padding': 0}[key]}


class Pooling2D(Layer):
    """Of square windows; without `strides`, they do not overlap."""

    activation = 'identity'

    def __init__(self, pool_size=2, strides=None, padding='valid', name=None):
        super().__init__(name)
        title = type(self).__name__
        if padding != 'valid':
            raise UsageError(f"{title}: padding is {padding!r}; windows do not go beyond the input here ('valid')")
        self.size = side(pool_size, f'{title}: pool_size')
        self.stride = self.size if strides is None else side(strides, f'{title}: strides')

    def of(self, shape):
        sides = [(one - self.size) // self.stride + 1 for one in shape[:2]]
        if min(shape[:2]) < self.size:
            raise UsageError(f'{type(self).__name__}: a window of {self.size} is larger than {shape[0]} x {shape[1]}')
        return (*sides, shape[2])

    def row(self, dropout):
        return {'size': self.size} | ({'stride': self.stride} if self.stride != self.size else {})


class MaxPooling2D(Pooling2D):
    """The largest value of each window."""

    kind, title = 'max_pool2d', 'pool'


class AveragePooling2D(Pooling2D):
    """The mean of each window."""

    kind, title = 'average_pool2d', 'pool'


class GlobalAveragePooling2D(Pooling2D):
    """The mean of each map, which is square."""

    kind, title = 'average_pool2d', 'pool'

    def __init__(self, name=None):
        super().__init__(1, None, 'valid', name)

    def of(self, shape):
        if shape[0] != shape[1]:
            raise UsageError(f'GlobalAveragePooling2D: maps of {shape[0]} x {shape[1]} are not square')
        self.size = self.stride = shape[0]
        return (1, 1, shape[2])
