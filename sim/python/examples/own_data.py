"""Images of your own: 3 channels of 16 x 16, five classes, a convolution, trained in two calls of fit.

    PYTHONPATH=sim/python python3 sim/python/examples/own_data.py
"""
import argparse

import numpy

from spinnsim import Adam, Conv2D, Dense, Flatten, Input, MaxPooling2D, Sequential

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument('--program', help='the program spinnsim; default: that of the checkout, or in the path')
options = options.parse_args()


def images(count, seed):
    """A bright square somewhere on a dark ground; its colour is the class."""
    colours = numpy.array([[230, 30, 30], [30, 230, 30], [30, 30, 230], [230, 230, 30], [30, 230, 230]])
    draw = numpy.random.default_rng(seed)
    y = draw.integers(0, 5, count)
    x = draw.integers(0, 25, (count, 16, 16, 3))
    for image, label in zip(x, y):
        row, column = draw.integers(0, 10, 2)
        image[row:row + 6, column:column + 6] = colours[label]
    return x.astype(numpy.uint8), y


x, y = images(240, seed=1)
x_test, y_test = images(100, seed=2)
model = Sequential([Input((16, 16, 3)), Conv2D(4, 5, activation='relu'), MaxPooling2D(2), Flatten(),
                    Dense(5, activation='softmax')], program=options.program)
model.compile(optimizer=Adam(0.01))
for _ in range(2):
    history = model.fit(x, y, batch_size=24, epochs=2, validation_data=(x_test, y_test), board='one_chip', verbose=1)

machine, host = (model.predict(x_test, backend=backend, logits=True) for backend in ('spinnaker', 'host'))
print(f'machine and host agree on {int((machine == host).all(axis=1).sum())} of {len(x_test)} images')
