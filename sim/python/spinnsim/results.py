"""Reading a result folder: summary.json, learning.csv, predictions.csv, weights.npz (docs/result_files.md)."""
import csv
import json
import os

import numpy

from .errors import SpinnsimError


def _opened(folder, name):
    try:
        return open(os.path.join(folder, name), encoding='utf-8', newline='')
    except OSError as error:
        raise SpinnsimError(f'the run left no {name}: {error}') from error


def summary(folder):
    with _opened(folder, 'summary.json') as file:
        return json.load(file)


def _number(text):
    return float(text) if text else float('nan')


def epochs(folder, validated):
    """Lists by name, a value for each epoch.  Seconds and joules are of the training, without its tests."""
    prefix = 'val_' if validated else ''
    found = {key: [] for key in ('loss', f'{prefix}loss' if validated else None, f'{prefix}accuracy', 'seconds', 'joules')
             if key}
    before = {'seconds': 0.0, 'joules': 0.0}
    with _opened(folder, 'learning.csv') as file:
        for row in csv.DictReader(file):
            tested = bool(row['accuracy'])
            if tested:
                found[f'{prefix}accuracy'].append(float(row['accuracy']))
                if validated:
                    found['val_loss'].append(_number(row['loss']))
            else:
                found['loss'].append(_number(row['loss']))
                for key in before:
                    found[key].append(_number(row[key]) - before[key])
            before = {key: _number(row[key]) for key in before}
    return found


def logits(folder, classes):
    """int64 [image][class]."""
    names = [f'logit_{c}' for c in range(classes)]
    with _opened(folder, 'predictions.csv') as file:
        reader = csv.reader(file)
        head = next(reader)
        places = [head.index(name) for name in names]
        rows = [[int(row[place]) for place in places] for row in reader]
    return numpy.array(rows, numpy.int64).reshape(-1, classes)


def archive(path):
    """The arrays of an .npz by name."""
    try:
        with numpy.load(path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise SpinnsimError(f'cannot read {path}: {error}') from error
