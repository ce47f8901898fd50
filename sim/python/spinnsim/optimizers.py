"""Optimizers: the keys of `train` that each becomes.  Rates are those of Keras: for the mean of a batch's gradients."""
from .errors import UsageError


class Optimizer:
    name, rate = None, 0.001

    def __init__(self, learning_rate=None):
        self.learning_rate = self.rate if learning_rate is None else float(learning_rate)
        if not 1e-9 <= self.learning_rate <= 1:
            raise UsageError(f'{type(self).__name__}: the learning rate is {learning_rate}, expected 1e-9 to 1')

    def keys(self):
        return {'optimizer': self.name, 'learning_rate': self.learning_rate}


class SGD(Optimizer):
    """Gradient descent; with `momentum`, a share of the velocity is kept."""

    name, rate = 'sgd', 0.01

    def __init__(self, learning_rate=None, momentum=0.0):
        super().__init__(learning_rate)
        if not 0 <= momentum < 1:
            raise UsageError(f'SGD: momentum is {momentum}, expected 0 to 1, 1 excluded')
        self.momentum = float(momentum)

    def keys(self):
        more = {'optimizer': 'momentum', 'momentum': self.momentum} if self.momentum > 0 else {}
        return super().keys() | {'reduction': 'mean'} | more


class Adam(Optimizer):
    """beta_1 0.9 and beta_2 0.999."""

    name = 'adam'


class RMSprop(Optimizer):
    """The mean square keeps a share of 0.9."""

    name = 'rmsprop'


class Adagrad(Optimizer):
    name = 'adagrad'


class AcceleGrad(Optimizer):
    name, rate = 'accelegrad', 0.1


BY_NAME = {'sgd': SGD, 'momentum': lambda: SGD(momentum=0.9), 'adam': Adam, 'rmsprop': RMSprop, 'adagrad': Adagrad,
           'accelegrad': AcceleGrad}

LOSSES = {'softmax_cross_entropy': 'softmax_cross_entropy', 'sparse_categorical_crossentropy': 'softmax_cross_entropy',
          'categorical_crossentropy': 'softmax_cross_entropy', 'square': 'square', 'mse': 'square',
          'mean_squared_error': 'square', 'hinge': 'hinge', 'categorical_hinge': 'hinge', 'competitive': 'competitive'}


def optimizer_of(what):
    """An optimizer, or the one of this name with its defaults."""
    if isinstance(what, Optimizer):
        return what
    if not isinstance(what, str) or what.lower() not in BY_NAME:
        raise UsageError(f'there is no optimizer {what!r}; one of: {", ".join(BY_NAME)}, or an object such as Adam(0.001)')
    return BY_NAME[what.lower()]()


def loss_of(what):
    """The program's name of a loss."""
    if not isinstance(what, str) or what not in LOSSES:
        raise UsageError(f'there is no loss {what!r}; one of: {", ".join(LOSSES)}')
    return LOSSES[what]
