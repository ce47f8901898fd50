"""What the tests share: the program, small models, small data, and a working directory that must stay as it is."""
import os
import tempfile
import unittest

import numpy

from spinnsim import Dense, Dropout, Input, Sequential

PROGRAM = os.environ.get('SPINN_PROGRAM')  # of the build under test
HOST = {'backend': 'host'}
CHIP = {'board': 'one_chip', 'mapping': {'kind': 'replica_per_chip', 'cores_per_chip': 4, 'cores_per_image': 4}}


def dense(hidden=6, side=4, classes=3, dropout=0.0, **options):
    """side x side pixels, `hidden` units with ReLU, classes."""
    return Sequential([Input((side, side, 1)), Dense(hidden, activation='relu'), *([Dropout(dropout)] if dropout else []),
                       Dense(classes, activation='softmax')], program=PROGRAM, **options)


def blobs(count, side=4, classes=3, channels=1, seed=5):
    """Images with a bright corner that says the class: uint8 [image][row][column][channel], and labels."""
    draw = numpy.random.default_rng(seed)
    y = draw.integers(0, classes, count)
    x = draw.integers(0, 60, (count, side, side, channels))
    half = side // 2
    for i, label in enumerate(y):
        row, column = divmod(int(label) % 4, 2)
        x[i, row * half:(row + 1) * half, column * half:(column + 1) * half, int(label) // 4 % channels] += 150
    return x.astype(numpy.uint8), y


class InAnEmptyFolder(unittest.TestCase):
    """Runs in a working directory that is empty before and behind, and with a folder for temporary files that is so, too."""

    def setUp(self):
        self.before = os.getcwd(), tempfile.tempdir
        self.place = tempfile.mkdtemp(prefix='test-')
        self.temporary = os.path.join(self.place, 'tmp')
        self.here = os.path.join(self.place, 'here')
        os.mkdir(self.temporary)
        os.mkdir(self.here)
        os.chdir(self.here)
        tempfile.tempdir = self.temporary

    def tearDown(self):
        os.chdir(self.before[0])
        tempfile.tempdir = self.before[1]
        leftovers = os.listdir(self.temporary)
        for folder, folders, files in os.walk(self.place, topdown=False):
            for name in files:
                os.remove(os.path.join(folder, name))
            for name in folders:
                os.rmdir(os.path.join(folder, name))
        os.rmdir(self.place)
        self.assertEqual(leftovers, [], 'temporary files were left behind')

    def assertSameArrays(self, one, other):
        self.assertEqual(len(one), len(other))
        for a, b in zip(one, other):
            self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
            self.assertEqual(a.tobytes(), b.tobytes())
