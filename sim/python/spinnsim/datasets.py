"""MNIST from its four files, as `tf.keras.datasets.mnist.load_data()` has it.  Nothing is downloaded."""
import gzip
import os
import pathlib

import numpy

from .errors import UsageError


def _folders(folder):
    if folder is not None:
        return [pathlib.Path(folder)]
    named = os.environ.get('SPINNSIM_DATA')
    cache = os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache'
    return ([pathlib.Path(named)] if named else []) + [pathlib.Path('data/mnist'), pathlib.Path(cache) / 'spinnsim' / 'mnist']


def mnist_folder():
    """The folder that is searched for MNIST first, of those that exist, from the root; None: there is none."""
    return next((os.path.abspath(one) for one in _folders(None) if one.is_dir()), None)


def _read(folder, name, magic):
    for path in (folder / name, folder / f'{name}.gz'):
        if not path.is_file():
            continue
        try:
            with (gzip.open(path) if path.suffix == '.gz' else open(path, 'rb')) as file:
                found = file.read()
        except (OSError, EOFError) as error:
            raise UsageError(f'cannot read {path}: {error}') from error
        rank = magic & 255
        head = numpy.frombuffer(found[:4 + 4 * rank], '>u4')
        if len(head) != 1 + rank or head[0] != magic or int(numpy.prod(head[1:], dtype=object)) != len(found) - 4 - 4 * rank:
            raise UsageError(f'{path} is no file of MNIST, or damaged: fetch it again with scripts/fetch_mnist.sh')
        return numpy.frombuffer(found, numpy.uint8, offset=4 + 4 * rank).reshape([int(one) for one in head[1:]])
    return None


class mnist:  # as tf.keras.datasets.mnist, a module there
    """60,000 images for training and 10,000 for a test, uint8 [image][row][column], and their labels."""

    @staticmethod
    def load_data(folder=None):
        """((x, y), (x, y)) from `folder`, or $SPINNSIM_DATA, data/mnist, ~/.cache/spinnsim/mnist."""
        looked = _folders(folder)
        for place in looked:
            arrays = [_read(place, f'{split}-{what}', magic) for split in ('train', 't10k')
                      for what, magic in (('images-idx3-ubyte', 0x803), ('labels-idx1-ubyte', 0x801))]
            if all(one is not None for one in arrays):
                return (arrays[0], arrays[1]), (arrays[2], arrays[3])
        raise UsageError(f'MNIST is not in {", ".join(str(one) for one in looked)}: scripts/fetch_mnist.sh downloads it')
