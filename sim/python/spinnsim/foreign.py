"""Models of other frameworks, by files that `spinnsim import` reads."""
import os

import numpy

from . import datasets, experiment, images
from . import program as programs
from .errors import SpinnsimError, UsageError
from .models import Sequential

OWN = '.yaml'
CLASSES_MOST = 256
FILES = ('.onnx', '.keras', '.h5', '.json')


def _calibration(data, place):
    """Arguments that say where images for calibration are; arrays become a file.  The program runs in another folder."""
    if data is None:
        data = datasets.mnist_folder()
    if data is None:
        return []
    if isinstance(data, (str, os.PathLike)):
        return ['--data', os.path.abspath(data)]
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise UsageError('data is to be the path of a folder or of an .npz, or a pair of arrays (x, y)')
    pixels = images.any_images_of(data[0], 'x of data')
    labels = numpy.asarray(data[1])
    if labels.shape != (len(pixels),) or labels.dtype.kind not in 'iu' or not (0 <= labels.min() and labels.max() < CLASSES_MOST):
        raise UsageError(f'y of data is to have {len(pixels)} labels from 0 to {CLASSES_MOST - 1}')
    path = os.path.join(place, 'data.npz')
    experiment.write_images(path, pixels, labels.astype(numpy.uint8))
    return ['--data', path]


def load_model(path, input_scale=None, data=None, program=None):
    """A model from a file: NAME.yaml with NAME.npz, or what `spinnsim import` reads (.onnx, .keras, .h5, model.json).

    input_scale    what the framework made of a pixel 0 to 255: '1/255', '1/256', '1'
    data           images for calibration: a folder of MNIST or an .npz, as --data of `spinnsim import`; or arrays (x, y),
                   as for fit(); default: MNIST, for models of 28 x 28 pixels
    """
    path = os.fspath(path)
    extension = os.path.splitext(path)[1].lower()
    if extension == OWN:
        return Sequential.load(path, program=program)
    if extension not in FILES:
        raise UsageError(f'{path}: expected one of {OWN}, {", ".join(FILES)}')
    if not os.path.exists(path):
        raise UsageError(f'there is no file {path}')
    with programs.workplace() as place:
        arguments = ['import', os.path.abspath(path), '--out', 'imported.yaml']
        arguments += _calibration(data, place)
        arguments += ['--input-scale', str(input_scale)] if input_scale is not None else []
        programs.run(program, arguments, place)
        return Sequential.load(os.path.join(place, 'networks', 'imported.yaml'), program=program)


def from_keras(model, input_scale=None, data=None, program=None):
    """A Keras model, where Keras is installed: by a temporary .keras file."""
    if not hasattr(model, 'save') or not hasattr(model, 'layers'):
        raise UsageError(f'{type(model).__name__} is no model of Keras')
    with programs.workplace() as place:
        path = os.path.join(place, 'model.keras')
        model.save(path)
        return load_model(path, input_scale, data, program)


def from_torch(model, example, input_scale=None, data=None, program=None):
    """A PyTorch module, where PyTorch is installed: by a temporary ONNX file.  `example` is a batch of one image."""
    try:
        import torch
    except ImportError as error:
        raise SpinnsimError('from_torch needs PyTorch; or export to ONNX elsewhere, and load_model(file)') from error
    with programs.workplace() as place:
        path = os.path.join(place, 'model.onnx')
        model.eval()
        torch.onnx.export(model, example, path)
        return load_model(path, input_scale, data, program)
