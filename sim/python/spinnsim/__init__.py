"""Neural networks on a simulated SpiNNaker machine, from Python.

    from spinnsim import Sequential, Input, Dense

    model = Sequential([Input((28, 28, 1)), Dense(128, activation='relu'), Dense(10, activation='softmax')])
    model.compile(optimizer='adam', loss='sparse_categorical_crossentropy', metrics=['accuracy'])
    history = model.fit(x, y, batch_size=96, epochs=2, board='spinn5')

Every `fit` runs the program spinnsim in a temporary folder; docs/python.md describes the package.  `Machine` is an experiment step
by step, in libspinnsim.so.
"""
from . import datasets, figures, layers, models, optimizers
from .errors import NotCompiled, ProgramMissing, RunFailed, SpinnsimError, UsageError
from .foreign import from_keras, from_torch, load_model
from .layers import (Activation, AveragePooling2D, Conv2D, Dense, Dropout, Flatten, GlobalAveragePooling2D, Input,
                     MaxPooling2D)
from .machine import Machine
from .models import History, Sequential
from .optimizers import SGD, AcceleGrad, Adagrad, Adam, RMSprop

__version__ = '0.3.0'
__all__ = ['AcceleGrad', 'Activation', 'Adagrad', 'Adam', 'AveragePooling2D', 'Conv2D', 'Dense', 'Dropout', 'Flatten',
           'GlobalAveragePooling2D', 'History', 'Input', 'Machine', 'MaxPooling2D', 'NotCompiled', 'ProgramMissing', 'RMSprop',
           'RunFailed', 'SGD', 'Sequential', 'SpinnsimError', 'UsageError', 'datasets', 'figures', 'from_keras', 'from_torch', 'layers', 'load_model', 'models', 'optimizers']
