"""What a network computes, to the bit: docs/arithmetic.md in numpy.  The sums of the last layer are those of the machine.

int16: sums of products are computed as doubles, which are exact below 2^53; the longest has 2^30 * 2^20.
"""
import math

import numpy
from numpy.lib.stride_tricks import sliding_window_view

from .errors import UsageError

IMAGES_AT_ONCE = 256
NUMBER_FORMATS = {'int16': numpy.int16, 's16.15': numpy.int32, 'float32': numpy.float32}
S1615 = 15   # fractional bits
FLOAT32 = 20  # of the words that come out


def nearest(x, shift):
    """R(x, shift): nearest, ties upwards."""
    return (x + (1 << (shift - 1))) >> shift if shift > 0 else x << -shift


def wrapped(x):
    """Modulo 2^32, as a signed number."""
    return ((x + 2**31) & 0xffffffff) - 2**31


def exact(sums):
    return sums.astype(numpy.int64)


# ---- activations ----

def _table():
    return numpy.array([math.floor(2**17 * (1 / (1 + math.exp(-i / 16)) - 0.5) + 0.5) for i in range(194)], numpy.int64)


def _half(p):
    table = _table()
    i = numpy.minimum(p >> 12, 192)
    return numpy.where(p >> 12 < 192, table[i] * 4096 + (table[i + 1] - table[i]) * (p & 4095), table[192] * 4096)


def activate(name, y, fraction):
    """An activation of int16 values; `fraction`: their fractional bits."""
    magnitude, sign = numpy.abs(y), numpy.where(y < 0, -1, 1)
    if name == 'relu':
        return numpy.maximum(y, 0)
    if name == 'sigmoid':
        y = nearest(2**28 + sign * _half(magnitude << (16 - fraction)), 29 - fraction)
    elif name == 'tanh':
        y = sign * nearest(_half(magnitude << (17 - fraction)), 28 - fraction)
    elif name == 'scaled_tanh':
        p = (magnitude << (17 - fraction)) * 2863311531 >> 32
        y = sign * nearest(_half(p) * 3684867192 >> 32, 27 - fraction)
    return numpy.minimum(y, 32767)


# ---- layers ----

def _windows(x, size, stride):
    """[image][map][row][column][size][size]."""
    return sliding_window_view(x, (size, size), axis=(2, 3))[:, :, ::stride, ::stride]


def _pool(placed, x):
    layer = placed.layer
    windows = _windows(x, layer.size, layer.stride)
    if layer.kind == 'max_pool2d':
        return windows.max(axis=(4, 5))
    if x.dtype.kind == 'f':
        raise UsageError('float32 has dense layers only')
    n = layer.size**2
    return (2 * windows.sum(axis=(4, 5)) + n) // (2 * n)


def _patches(placed, x):
    """[image][row][column][input, row, column of the window]."""
    layer = placed.layer
    edge = (layer.padding, layer.padding)
    windows = _windows(numpy.pad(x, ((0, 0), (0, 0), edge, edge)), layer.kernel, layer.stride)
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(len(x), *placed.output[:2], -1)


def _sums_int16(placed, weights, biases, x, network):
    bias = biases.astype(numpy.float64) * 2**network.activation_fraction
    flat = weights.reshape(len(weights), -1).astype(numpy.float64).T
    if placed.layer.kind == 'dense':
        return wrapped(exact(x.reshape(len(x), -1).astype(numpy.float64) @ flat + bias))
    return wrapped(exact(_patches(placed, x.astype(numpy.float64)) @ flat + bias)).transpose(0, 3, 1, 2)


def _sums_s1615(placed, weights, biases, x, network):
    weights, biases = weights.astype(numpy.int64), biases.astype(numpy.int64)
    if placed.layer.kind == 'dense':
        x = x.reshape(len(x), -1)
        z = numpy.zeros((len(x), len(weights)), numpy.int64) + biases
        for i in range(x.shape[1]):
            z += wrapped(nearest(x[:, i, None] * weights[None, :, i], S1615))
        return wrapped(z)
    flat = weights.reshape(len(weights), -1).T
    z = nearest((biases << S1615) + _patches(placed, x) @ flat, S1615)
    return numpy.clip(z, -2**31, 2**31 - 1).transpose(0, 3, 1, 2)


def _sums_float32(placed, weights, biases, x, network):
    x = x.reshape(len(x), -1)
    z = numpy.zeros((len(x), len(weights)), numpy.float32) + biases.astype(numpy.float32)
    for i in range(x.shape[1]):
        z += weights[None, :, i] * x[:, i, None]
    return z


def _words(z):
    """Singles as integers, ties away from 0."""
    scaled = z.astype(numpy.float64) * 2**FLOAT32
    return numpy.clip(numpy.copysign(numpy.floor(numpy.abs(scaled) + 0.5), scaled), 1 - 2**31, 2**31 - 1).astype(numpy.int64)


def _some(network, parameters, number_format, x):
    sums = {'int16': _sums_int16, 's16.15': _sums_s1615, 'float32': _sums_float32}[number_format]
    if number_format == 'float32':
        x = x.astype(numpy.float32) / numpy.float32(256)
    else:
        x = x.astype(numpy.int64) << (7 if number_format == 's16.15' else network.activation_fraction - 8)
    for placed in network.placed:
        if not placed.has_weights:
            x = _pool(placed, x)
            continue
        z = sums(placed, *parameters[placed.name], x, network)
        if placed is network.placed[-1]:
            return _words(z) if number_format == 'float32' else z
        if number_format == 'int16':
            y = numpy.clip(nearest(z, network.weight_fraction), -32768, 32767)
            x = activate(placed.activation, y, network.activation_fraction)
        elif placed.activation in ('relu', 'identity'):
            x = numpy.maximum(z, 0) if placed.activation == 'relu' else z
        else:
            raise UsageError(f'{number_format} has no {placed.activation}')
    raise AssertionError('a network ends with a dense layer')


def logits(network, parameters, number_format, images):
    """The sums of the last layer, int64 [image][class], of images uint8 [image][channel][row][column]."""
    with numpy.errstate(over='ignore'):
        parts = [_some(network, parameters, number_format, images[i:i + IMAGES_AT_ONCE])
                 for i in range(0, len(images), IMAGES_AT_ONCE)]
    return numpy.concatenate(parts) if parts else numpy.zeros((0, network.classes), numpy.int64)


def logit_fraction(network, number_format):
    """Fractional bits of these sums."""
    return {'int16': network.weight_fraction + network.activation_fraction, 's16.15': S1615,
            'float32': FLOAT32}[number_format]


# ---- parameters ----

def weight_scale(network, number_format):
    """What a weight is multiplied by to become a number of the format; 1: a single."""
    return {'int16': 2.0**network.weight_fraction, 's16.15': 2.0**S1615, 'float32': 1.0}[number_format]


def to_numbers(values, network, number_format, what):
    """Real values in the number format: nearest, ties upwards (float32: ties to even)."""
    kind = NUMBER_FORMATS[number_format]
    values = numpy.asarray(values, numpy.float64)
    if not numpy.isfinite(values).all():
        at = tuple(int(i) for i in numpy.argwhere(~numpy.isfinite(values))[0])
        raise UsageError(f'{what}: the value at {list(at)} is {values[at]}, not a finite number')
    if kind is numpy.float32:
        with numpy.errstate(over='ignore'):
            numbers = values.astype(numpy.float32)
        if not numpy.isfinite(numbers).all():
            raise UsageError(f'{what}: a value of {numpy.abs(values).max():g} is beyond float32')
        return numbers
    numbers = numpy.floor(values * weight_scale(network, number_format) + 0.5)
    range_of = numpy.iinfo(kind)
    outside = (numbers < range_of.min) | (numbers > range_of.max)
    if outside.any():
        most = (range_of.max + 1) / weight_scale(network, number_format)
        hint = '; a smaller weight_fraction of the model has more room' if number_format == 'int16' else ''
        raise UsageError(f'{what}: {int(outside.sum())} values do not fit into {number_format}, which has '
                         f'-{most:g} to {most:g}: the largest is {numpy.abs(values).max():g}{hint}')
    return numbers.astype(kind)


def to_reals(numbers, network, number_format):
    return numbers.astype(numpy.float64) / weight_scale(network, number_format)


# ---- the first weights ----

MASK = 2**64 - 1
RATIO = {'he': lambda inputs, outputs, last: math.sqrt((3 if last else 6) / inputs),
         'lecun': lambda inputs, outputs, last: math.sqrt(3 / inputs),
         'glorot': lambda inputs, outputs, last: math.sqrt(6 / (inputs + outputs))}


def _mixed(x):
    x = numpy.asarray(x, numpy.uint64)
    x = (x ^ x >> numpy.uint64(30)) * numpy.uint64(0xbf58476d1ce4e5b9)
    x = (x ^ x >> numpy.uint64(27)) * numpy.uint64(0x94d049bb133111eb)
    return x ^ x >> numpy.uint64(31)


def draw(network, number_format, seed, initializer):
    """What `fit` begins with: numbers of the format by layer, weights and biases."""
    parameters = {}
    fraction = {'int16': network.weight_fraction, 's16.15': S1615, 'float32': FLOAT32}[number_format]
    most = 32767 if number_format == 'int16' else 2**31 - 1
    with numpy.errstate(over='ignore'):
        for i, placed in enumerate(network.placed):
            if not placed.has_weights:
                continue
            shape, biases = placed.parts()
            count = int(numpy.prod(shape))
            inputs, outputs = count // shape[0], count // shape[1]
            bound = RATIO[initializer](inputs, outputs, placed is network.placed[-1])
            m = min(most, math.floor(bound * 2**fraction + 0.5))
            key = _mixed(_mixed(seed) ^ numpy.uint64(((2**24 + i) << 32) & MASK))
            word = _mixed(key + numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(0x9e3779b97f4a7c15))
            drawn = ((word >> numpy.uint64(32)) * numpy.uint64(2 * m + 1) >> numpy.uint64(32)).astype(numpy.int64) - m
            kind = NUMBER_FORMATS[number_format]
            weights = drawn / 2**FLOAT32 if number_format == 'float32' else drawn
            parameters[placed.name] = (weights.astype(kind).reshape(shape), numpy.zeros(biases, kind))
    return parameters
