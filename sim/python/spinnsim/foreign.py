"""Models of other frameworks, by files that `spinnsim import` reads."""
import os

from . import program as programs
from .errors import SpinnsimError, UsageError
from .models import Sequential

OWN = '.yaml'
FILES = ('.onnx', '.keras', '.h5', '.json')


def load_model(path, input_scale=None, data=None, program=None):
    """A model from a file: NAME.yaml with NAME.npz, or what `spinnsim import` reads (.onnx, .keras, .h5, model.json).

    input_scale    what the framework made of a pixel 0 to 255: '1/255', '1/256', '1'
    data           a folder or file of images for calibration, as --data of `spinnsim import`
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
        arguments += ['--data', os.path.abspath(data)] if data is not None else []
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
