"""The files of an experiment: experiment.yaml, networks/model.yaml, weights.npz, images, and a checkpoint to go on from."""
import os
import pathlib
import zipfile

import numpy

from . import arithmetic, yaml_text
from .errors import SpinnsimError, UsageError

BOARDS = {'one_chip': 'one_chip', 'chip': 'one_chip', 'spinn3': 'spin3', 'spin3': 'spin3', 'spinn5': 'spin5', 'spin5': 'spin5'}
EPOCHS_MOST = 1000  # train.epochs of sim/config/config_schema.def


def board_file(board):
    """The file that describes a board: one of ours by name, or a user's."""
    if board in BOARDS:
        return f'boards/{BOARDS[board]}.yaml'
    path = pathlib.Path(str(board))
    if path.suffix == '.yaml' and path.is_file():
        return str(path.resolve())
    raise UsageError(f'there is no board {board!r}; one of: {", ".join(BOARDS)}, or a .yaml file')


def text_array(text):
    return numpy.array(text.encode('ascii'))


def write_archive(path, arrays):
    """An .npz, as the program reads it."""
    try:
        with zipfile.ZipFile(path, 'w') as archive:  # savez() leaves one open on a full disk, which then complains
            for name, array in arrays.items():
                array = numpy.asarray(array, order='C')
                with archive.open(f'{name}.npy', 'w', force_zip64=True) as file:
                    numpy.lib.format.write_array_header_1_0(file, numpy.lib.format.header_data_from_array_1_0(array))
                    file.write(array.reshape(-1).view(numpy.uint8))  # write_array() copies it first
    except OSError as error:
        raise SpinnsimError(f'cannot write {path}: {error.strerror or error}') from error


def write_text(path, text):
    try:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    except OSError as error:
        raise SpinnsimError(f'cannot write {path}: {error.strerror or error}') from error


def write_images(path, pixels, labels):
    write_archive(path, {'x': pixels, 'y': labels})


def write_weights(path, network, parameters, number_format):
    """A file for network.weights."""
    fraction = {'int16': (network.weight_fraction, network.activation_fraction), 's16.15': (15, 15),
                'float32': (0, network.activation_fraction)}[number_format]
    arrays = {'network': text_array(network.name), 'variant': text_array('modern'), 'weight_fraction': numpy.int32(fraction[0]),
              'activation_fraction': numpy.int32(fraction[1]), 'dataset': text_array('files'),
              'dataset_digest': text_array('0' * 64), 'recipe': text_array('spinnsim, the Python package'),
              'reference_accuracy': numpy.float64('nan')}
    for layer, (weights, biases) in parameters.items():
        arrays[f'{layer}.weights'], arrays[f'{layer}.biases'] = weights, biases
    write_archive(path, arrays)


def read_weights(arrays, network, number_format, path):
    """Parameters by layer, from the arrays of such a file."""
    kind = arithmetic.NUMBER_FORMATS[number_format]
    parameters = {}
    for placed in network.with_weights():
        pair = []
        for part, shape in zip(('weights', 'biases'), placed.parts()):
            found = arrays.get(f'{placed.name}.{part}')
            if found is None or found.shape != tuple(shape) or found.dtype != kind:
                said = 'not there' if found is None else f'{found.dtype} of {found.shape}'
                raise UsageError(f'{path}: {placed.name}.{part} is {said}, expected {numpy.dtype(kind)} of {tuple(shape)}')
            pair.append(found)
        parameters[placed.name] = tuple(pair)
    return parameters


class State:
    """What an optimizer remembers: the program's checkpoint, and how many updates led to it."""

    def __init__(self, arrays, optimizer, updates):
        # not the machine, its seal and rows: another training goes on with parameters and state only
        self.arrays = {name: array for name, array in arrays.items() if name not in ('run', 'seal')}
        self.optimizer, self.updates = optimizer, updates

    def epochs(self, updates_per_epoch, more):
        """Epochs that are done, in epochs of the next training, so that counts of updates go on."""
        return max(1, min(-(-self.updates // updates_per_epoch), EPOCHS_MOST - more))

    def write(self, folder, epochs):
        os.makedirs(folder, exist_ok=True)
        write_archive(os.path.join(folder, 'checkpoint.npz'), self.arrays | {'epochs': numpy.array([epochs], numpy.int32)
                      if self.arrays['epochs'].ndim else numpy.int32(epochs)})


def nested(keys, settings):
    """Adds settings such as {'train.warm_up': 0.3} to keys of groups."""
    for key, value in (settings or {}).items():
        at = keys
        *groups, last = key.split('.')
        for group in groups:
            at = at.setdefault(group, {})
            if not isinstance(at, dict):
                raise UsageError(f'settings: {key} is not below a group')
        at[last] = value
    return keys


def write(folder, keys, network, question):
    """experiment.yaml and the network file."""
    os.makedirs(os.path.join(folder, 'networks'), exist_ok=True)
    write_text(os.path.join(folder, 'networks', f'{network.name}.yaml'), network.text())
    write_text(os.path.join(folder, 'experiment.yaml'), f'# Question: {question}\n{yaml_text.document(keys)}')
