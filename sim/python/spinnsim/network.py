"""A network: the layers of a model joined, with their shapes, as the program's files describe it."""

import re

import numpy

from . import yaml_text
from .errors import UsageError
from .layers import (Activation, AveragePooling2D, Conv2D, Dense, Dropout, Flatten, Input, Layer, MaxPooling2D)

LAYERS_MOST = 32  # NETWORK_LAYERS of sim/networks/network.h
NAME = re.compile(r'[a-z0-9_-]{1,64}$')  # of a network; runs and programs carry it


class Placed:
    """A layer that has a row in the network file."""

    def __init__(self, layer, name, shape, flat):
        self.layer, self.name = layer, name
        self.input = shape        # as a user writes it: height, width, channels
        self.output = layer.of(shape)
        self.dropout = 0.0
        self.flat = flat          # behind a Flatten
        self.activation = layer.activation

    @property
    def has_weights(self):
        return hasattr(self.layer, 'parts')

    def parts(self):
        return self.layer.parts(self.input)

    def outwards(self, weights):
        """Weights in the user's order, from those of the program."""
        return self.layer.outwards(weights, self.input)

    def inwards(self, weights):
        return self.layer.inwards(weights, self.input)

    def row(self):
        row = {'name': self.name, 'type': self.layer.kind} | self.layer.row(self.dropout)
        return row | ({'activation': self.activation} if 'activation' in row else {})


class Network:
    """Fractions are the numbers of fractional bits of int16: weights lie within +-2^(15 - weight_fraction).  The last
    layer's sums are those of an imported model times `logit_factor`."""

    def __init__(self, layers, weight_fraction=13, activation_fraction=11, logit_factor=1.0, name='model'):
        self.name = str(name)
        if not NAME.match(self.name):
            raise UsageError(f'{name!r} is no name of a model: 1 to 64 of a-z, 0-9, _ and -')
        self.weight_fraction, self.activation_fraction = weight_fraction, activation_fraction
        self.logit_factor = logit_factor
        for what in ('weight_fraction', 'activation_fraction'):
            if not 8 <= getattr(self, what) <= 15:
                raise UsageError(f'{what} is {getattr(self, what)}, expected 8 to 15')
        self.placed = []
        self._join(list(layers))

    def _join(self, layers):
        for layer in layers:
            if not isinstance(layer, Layer):
                raise UsageError(f'{layer!r} is no layer of spinnsim; models of Keras or PyTorch: from_keras, from_torch')
        if layers and not isinstance(layers[0], Input):
            shape = getattr(layers[0], 'input_shape', None)
            if shape is None:
                raise UsageError('the first layer is to be Input((height, width, channels)), or have an input_shape')
            layers.insert(0, Input(shape))
        if len(layers) < 2:
            raise UsageError('a model has an Input and at least one layer')
        self.input = shape = layers[0].shape
        flat = False
        for layer in layers[1:]:
            if isinstance(layer, Input):
                raise UsageError('Input is the first layer, and there is one')
            if isinstance(layer, Flatten):
                flat = True
            elif layer.kind is None:
                self._attach(layer)
            else:
                if flat and not isinstance(layer, Dense):
                    raise UsageError(f'{type(layer).__name__} behind Flatten or Dense: there are no maps any more')
                self.placed.append(Placed(layer, self._name(layer), shape, flat))
                shape = self.placed[-1].output
                flat = flat or isinstance(layer, Dense)
        self._check_end()

    def _attach(self, layer):
        """Activation and Dropout belong to the layer before them."""
        title = type(layer).__name__
        last = self.placed[-1] if self.placed else None
        if isinstance(layer, Dropout):
            if last is None or not isinstance(last.layer, Dense):
                raise UsageError('Dropout goes behind a hidden Dense layer only')
            last.dropout = layer.rate
        elif last is None or not last.has_weights or last.activation != 'identity' or last.dropout:
            raise UsageError(f'{title} goes directly behind a Dense or Conv2D layer that has no activation')
        else:
            last.activation = layer.activation

    def _name(self, layer):
        if layer.name is not None:
            if any(layer.name == placed.name for placed in self.placed):
                raise UsageError(f'two layers are named {layer.name}')
            return layer.name
        number = 1 + sum(isinstance(placed.layer, type(layer)) for placed in self.placed)
        taken = {placed.name for placed in self.placed}
        while f'{layer.title}{number}' in taken:
            number += 1
        return f'{layer.title}{number}'

    def _check_end(self):
        if not self.placed:
            raise UsageError('a model has at least one layer with weights')
        last = self.placed[-1]
        if not isinstance(last.layer, Dense) or last.activation != 'softmax':
            raise UsageError("the last layer is to be Dense(classes, activation='softmax')")
        if last.dropout:
            raise UsageError('Dropout goes behind hidden layers, not behind the outputs')
        if any(placed.activation == 'softmax' for placed in self.placed[:-1]):
            raise UsageError('softmax is the activation of the last layer only')
        if not 2 <= last.layer.units <= 256:
            raise UsageError(f'the last layer has {last.layer.units} classes, expected 2 to 256')
        if len(self.placed) > LAYERS_MOST:
            raise UsageError(f'{len(self.placed)} layers, at most {LAYERS_MOST}')

    @property
    def classes(self):
        return self.placed[-1].layer.units

    def with_weights(self):
        return [placed for placed in self.placed if placed.has_weights]

    def text(self):
        """The network file."""
        height, width, channels = self.input
        shape = yaml_text.flow({'channels': channels, 'height': height, 'width': width})
        formats = yaml_text.flow({'weight_fraction': self.weight_fraction,
                                  'activation_fraction': self.activation_fraction,
                                  'input_shift': self.activation_fraction - 8} | (
                                      {'logit_factor': self.logit_factor} if self.logit_factor != 1 else {}))
        rows = ''.join(f'  - {yaml_text.flow(placed.row())}\n' for placed in self.placed)
        return f'name: {self.name}\nvariant: modern\ninput: {shape}\nformats: {formats}\nlayers:\n{rows}'

    def summary(self):
        """A table of the layers."""
        rows = [('layer', 'type', 'output', 'parameters')]
        total = 0
        for placed in self.placed:
            count = sum(int(numpy.prod(part)) for part in placed.parts()) if placed.has_weights else 0
            total += count
            more = f', dropout {placed.dropout:g}' if placed.dropout else ''
            kind = placed.layer.kind + (f' ({placed.activation}{more})' if placed.has_weights else '')
            rows.append((placed.name, kind, ' x '.join(str(one) for one in placed.output), str(count)))
        rows.append(('all', '', '', str(total)))
        width = [max(len(row[i]) for row in rows) for i in range(4)]
        return '\n'.join('  '.join((row[0].ljust(width[0]), row[1].ljust(width[1]), row[2].ljust(width[2]),
                                    row[3].rjust(width[3]))) for row in rows)


# ---- network files ----

def _of_row(row):
    """The layer of a row of a network file."""
    kind, name = row.get('type'), row.get('name')
    activation = row.get('activation', 'identity')
    known = {'name', 'type', 'activation', 'dropout', 'units', 'maps', 'kernel', 'stride', 'padding', 'size'}
    if set(row) - known:
        raise UsageError(f'layer {name}: this package has no {", ".join(sorted(set(row) - known))}; run the file by the program')
    if kind == 'dense':
        layers = [Dense(row['units'], activation, name)]
        return layers + ([Dropout(row['dropout'])] if row.get('dropout') else [])
    if kind == 'conv2d':
        return [Conv2D(row['maps'], row['kernel'], row.get('stride', 1), row.get('padding', 0), activation, name)]
    if kind in ('max_pool2d', 'average_pool2d'):
        pool = MaxPooling2D if kind == 'max_pool2d' else AveragePooling2D
        return [pool(row['size'], row.get('stride'), name=name)]
    raise UsageError(f'layer {name}: this package has no layer of type {kind}; run the file by the program')


def read(path):
    """The layers and formats of a network file."""
    try:
        with open(path, encoding='utf-8') as file:
            found = yaml_text.read(file.read(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f'cannot read {path}: {error}') from error
    try:
        shape, formats = found['input'], found['formats']
        layers = [Input((shape['height'], shape['width'], shape['channels']))]
        for row in found['layers']:
            layers += _of_row(row)
        return layers, {'weight_fraction': formats['weight_fraction'],
                        'activation_fraction': formats['activation_fraction'],
                        'logit_factor': float(formats.get('logit_factor', 1)), 'name': found['name']}, found
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f'{path} is no network file: {error!r}') from error
