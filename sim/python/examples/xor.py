"""XOR: two pixels, two classes, on one simulated chip.

    PYTHONPATH=sim/python python3 sim/python/examples/xor.py
"""
import argparse

import numpy

from spinnsim import SGD, Dense, Input, Sequential

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument('--program', help='the program spinnsim; default: that of the checkout, or in the path')
options = options.parse_args()

x = numpy.array([[0, 0], [0, 255], [255, 0], [255, 255]], numpy.uint8)
y = numpy.array([0, 1, 1, 0])

model = Sequential([Input(2), Dense(8, activation='tanh'), Dense(2, activation='softmax')], seed=3, program=options.program)
model.compile(optimizer=SGD(0.5, momentum=0.9), loss='categorical_crossentropy', metrics=['accuracy'])
history = model.fit(x, y, batch_size=4, epochs=100, board='one_chip')

answers = model.predict(x, backend='spinnaker').argmax(axis=1)
for (a, b), answer in zip(x // 255, answers):
    print(f'{a} xor {b} = {answer}')
print(f"{sum(history.history['seconds']) * 1e3:.1f} ms and {sum(history.history['joules']) * 1e3:.2f} mJ of the machine")
