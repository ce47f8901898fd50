"""A user's images and labels as the program takes them: pixels uint8 [image][channel][row][column], labels uint8.

A pixel p is p/256 on the machine.  Real numbers from 0 to 1 are taken if they are multiples of 1/255 or all multiples of
1/256, and become p; others would have to be rounded, and are refused.
"""
import numpy

from .errors import UsageError

NEAR = 4e-6     # of a multiple: float32 and a division are off by some 1e-7
AT_ONCE = 1 << 16  # values, which stay in a cache


def _bytes_by(scale, x):
    """The bytes of which x are `scale`ths; None: one is no such byte."""
    found = numpy.empty(x.size, numpy.uint8)
    flat = x.reshape(-1)
    room = numpy.empty(min(AT_ONCE, x.size), numpy.result_type(x, numpy.float32))
    with numpy.errstate(invalid='ignore', over='ignore'):
        for i in range(0, x.size, AT_ONCE):
            some = flat[i:i + AT_ONCE]
            numbers, rest = found[i:i + AT_ONCE], room[:len(some)]  # no memory is taken here, which costs more than the sums
            numpy.multiply(some, scale, out=rest, dtype=rest.dtype)
            rest += 0.5
            numpy.copyto(numbers, rest, casting='unsafe')
            rest -= numbers  # 0.5 of a multiple; far from it where a number wraps or is none
            if not (rest.min() > 0.5 - NEAR * scale and rest.max() < 0.5 + NEAR * scale):
                return None
    return found.reshape(x.shape)


def _pixels(x, what):
    if x.dtype == numpy.uint8:
        return x
    if x.dtype == numpy.bool_:
        return x.astype(numpy.uint8) * numpy.uint8(255)
    if x.dtype.kind in 'iu':
        if x.size and (x.min() < 0 or x.max() > 255):
            raise UsageError(f'{what}: pixels are {x.min()} to {x.max()}, expected 0 to 255')
        return x.astype(numpy.uint8)
    if x.dtype.kind != 'f':
        raise UsageError(f'{what}: the type {x.dtype} is no number')
    for scale in (255, 256):
        found = _bytes_by(scale, x)
        if found is not None:
            return found
    if not numpy.isfinite(x).all():
        raise UsageError(f'{what}: there are values that are no finite numbers')
    if x.min() < 0 or x.max() > 1:
        raise UsageError(f'{what}: real pixels are {x.min():g} to {x.max():g}, expected 0 to 1; 0 to 255 as integers')
    away = numpy.abs(x * 255.0 - numpy.rint(x * 255.0))
    worst = float(x.reshape(-1)[int(away.argmax())])
    raise UsageError(f'{what}: {worst:g} is neither a multiple of 1/255 nor of 1/256; the machine has pixels of 8 bits: give '
                     'numpy.rint(255 * x).astype(numpy.uint8) if their rounding is meant')


def any_images_of(x, what='x'):
    """Pixels of images of any shape, [image][channel][row][column], from [image][row][column], maybe with [channel] behind."""
    x = numpy.asarray(x)
    if x.ndim not in (3, 4) or x.size == 0:
        raise UsageError(f'{what} has the shape {x.shape}, expected (n, height, width) or (n, height, width, channels)')
    pixels = _pixels(x, what)
    return numpy.ascontiguousarray(pixels[:, None] if x.ndim == 3 else pixels.transpose(0, 3, 1, 2))


def images_of(x, network, what='x'):
    """Pixels of images of the network's shape, [image][channel][row][column]."""
    x = numpy.asarray(x)
    height, width, channels = network.input
    shapes = {(height, width, channels)}
    if channels == 1:
        shapes.add((height, width))
    if height == 1 and channels == 1:
        shapes.add((width,))
    if x.ndim < 2 or tuple(x.shape[1:]) not in shapes:
        expected = ' or '.join(str(('n', *shape)).replace("'n'", 'n') for shape in sorted(shapes, key=len, reverse=True))
        raise UsageError(f'{what} has the shape {x.shape}, expected {expected}')
    if x.size == 0:
        raise UsageError(f'{what} has no images')
    pixels = _pixels(x, what).reshape(len(x), height, width, channels)
    return numpy.ascontiguousarray(pixels.transpose(0, 3, 1, 2))


def labels_of(y, count, network, what='y'):
    """Labels 0 to classes - 1, from such, or from rows with a single 1."""
    y = numpy.asarray(y)
    classes = network.classes
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim == 2 and y.shape[1] == classes:
        if not ((y == 0) | (y == 1)).all() or not (y.sum(axis=1) == 1).all():
            raise UsageError(f'{what}: a row is to have a single 1, and else 0')
        y = y.argmax(axis=1)
    if y.ndim != 1:
        raise UsageError(f'{what} has the shape {y.shape}, expected (n,), or (n, {classes}) with a single 1 a row')
    if len(y) != count:
        raise UsageError(f'{what} has {len(y)} labels for {count} images')
    if y.dtype.kind == 'f' and not (y == numpy.floor(y)).all():
        raise UsageError(f'{what}: a label is no whole number')
    if y.dtype.kind not in 'iufb':
        raise UsageError(f'{what}: the type {y.dtype} is no number')
    if len(y) and not (0 <= y.min() and y.max() < classes):
        bad = y.max() if y.max() >= classes else y.min()
        raise UsageError(f'{what}: there is a label {bad:g}, but the last layer has {classes} classes: 0 to {classes - 1}')
    return y.astype(numpy.uint8)
