"""784-128-10 with dropout and Adam, as its Keras original: trained on a simulated board, evaluated on the host.

    PYTHONPATH=sim/python python3 sim/python/examples/mlp.py

The digits are MNIST's if they are found ($SPINNSIM_DATA, data/mnist, ~/.cache/spinnsim/mnist), else generated ones.
"""
import argparse

import numpy

import spinnsim
from spinnsim import Dense, Dropout, Flatten, Input, Sequential


def generated(count, seed):
    """Ten figures of random dots, each moved by a pixel and with noise: no digits, but ten classes."""
    figures = (numpy.random.default_rng(0).random((10, 28, 28)) > 0.85) * 200
    draw = numpy.random.default_rng(seed)
    y = draw.integers(0, 10, count)
    moved = [numpy.roll(figures[label], draw.integers(-1, 2, 2), (0, 1)) for label in y]
    return (numpy.array(moved) + draw.integers(0, 40, (count, 28, 28))).astype(numpy.uint8), y


options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument('--images', type=int, default=320, help='to train with; default 320')
options.add_argument('--epochs', type=int, default=2)
options.add_argument('--board', default='spinn5', help='spinn5 (48 chips, the default), spinn3 or one_chip, which have no room for Adam here')
options.add_argument('--backend', default='spinnaker', help='host: train in the same integers, without seconds and joules')
options.add_argument('--generated', action='store_true', help='do not look for MNIST')
options.add_argument('--program', help='the program spinnsim; default: that of the checkout, or in the path')
options = options.parse_args()

try:
    if options.generated:
        raise spinnsim.UsageError('generated images are wanted')
    (x_train, y_train), (x_test, y_test) = spinnsim.datasets.mnist.load_data()
    print('images: MNIST')
except spinnsim.UsageError as error:
    print(f'images: generated ({error})')
    (x_train, y_train), (x_test, y_test) = generated(options.images, 1), generated(1000, 2)
x_train, y_train = x_train[:options.images] / 255.0, y_train[:options.images]

model = Sequential([
    Input((28, 28, 1)),
    Flatten(),
    Dense(128, activation='relu'),
    Dropout(0.2),
    Dense(10, activation='softmax'),
], program=options.program)
model.compile(optimizer='adam', loss='sparse_categorical_crossentropy', metrics=['accuracy'])
model.summary()
history = model.fit(x_train, y_train, batch_size=32, epochs=options.epochs, board=options.board,
                    backend=options.backend, verbose=1)

loss, accuracy = model.evaluate(x_test / 255.0, y_test)
print(f'test on the host: loss {loss:.3f}, accuracy {accuracy:.4f}')
some = x_test[:64]
machine, host = (model.predict(some, backend=backend, logits=True) for backend in ('spinnaker', 'host'))
print(f'machine and host agree on {int((machine == host).all(axis=1).sum())} of {len(some)} images')
print(f'stats_hash {history.stats_hash}')
