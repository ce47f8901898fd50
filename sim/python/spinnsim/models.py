"""Sequential: a network that is trained and run by the program spinnsim."""
import copy
import os
import warnings

import numpy

from . import arithmetic, events, experiment, images, network as networks, program as programs, results, yaml_text
from .errors import NotCompiled, RunFailed, SpinnsimError, UsageError
from .layers import whole
from .optimizers import loss_of, optimizer_of

BACKENDS = ('spinnaker', 'host')
INCLUDES = ['timing/arm968.yaml', 'energy/spinnaker1.yaml']
# Mappings of a classification, tried in this order until one has room for the network.
CLASSIFIES = [{'kind': 'replica_per_core', 'cores_per_chip': 17}, {'kind': 'replica_per_core', 'cores_per_chip': 16},
              {'kind': 'replica_per_core', 'cores_per_chip': 8}, {'kind': 'replica_per_core', 'cores_per_chip': 1}] + [
                  {'kind': 'feature_maps_per_core', 'cores_per_chip': cores} for cores in range(17, 1, -1)]


class History:
    """Of a `fit`: `history` has a list for each of loss, accuracy (val_loss, val_accuracy), seconds and joules, a value for
    each epoch; `summary` is the run's summary.json, `stats_hash` its hash, `remarks` what the program cautions about."""

    def __init__(self, history, summary, remarks, first_epoch):
        self.history, self.summary, self.remarks = history, summary, remarks
        self.epoch = list(range(first_epoch, first_epoch + len(history['loss'])))
        self.stats_hash = summary['identity']['stats_hash']


class Sequential:
    """Layers in a row.  `name` is the network's, which a run's stats_hash covers.  `seed` draws first weights, the order of images and dropout; `number_format` is that of the weights
    until `fit` is given another."""

    def __init__(self, layers=None, name='model', seed=1, number_format='int16', initializer='he', weight_fraction=13,
                 activation_fraction=11, logit_factor=1.0, program=None):
        self._layers, self._network = list(layers or []), None
        self._of_network = {'weight_fraction': weight_fraction, 'activation_fraction': activation_fraction,
                            'logit_factor': logit_factor, 'name': name}
        self.seed = whole(seed, 'seed', 0)
        self.program = None if program is None else os.path.abspath(program)
        if initializer not in arithmetic.RATIO:
            raise UsageError(f'there is no initializer {initializer!r}; one of: {", ".join(arithmetic.RATIO)}')
        self.initializer = initializer
        self.number_format = self._format(number_format)
        self.optimizer = self.loss = None
        self.metrics = []
        self.epochs_done = 0
        self.stop_training = False
        self._parameters = None  # by layer, in numbers of the format; None: as they are drawn
        self._state = None
        self._mapping = 0        # the first of CLASSIFIES that may have room

        if self._layers and getattr(self._layers[-1], 'activation', None) == 'softmax':  # complete: mistakes show here
            self._network = networks.Network(self._layers, **self._of_network)

    def add(self, layer):
        """A further layer, before the model has weights."""
        if self._network is not None:
            raise UsageError('the model is complete: add layers before it is used, or give all to Sequential([...])')
        self._layers.append(layer)

    @property
    def network(self):
        if self._network is None:
            self._network = networks.Network(self._layers, **self._of_network)
        return self._network

    # ---- weights ----

    @staticmethod
    def _format(number_format):
        if number_format not in arithmetic.NUMBER_FORMATS:
            raise UsageError(f'there is no number_format {number_format!r}; one of: {", ".join(arithmetic.NUMBER_FORMATS)}')
        return number_format

    def _numbers(self):
        if self._parameters is None:
            return arithmetic.draw(self.network, self.number_format, self.seed, self.initializer)
        return self._parameters

    def _use_format(self, number_format):
        if number_format is None or self._format(number_format) == self.number_format:
            return
        if self._parameters is not None:
            reals = {name: [arithmetic.to_reals(part, self.network, self.number_format) for part in pair]
                     for name, pair in self._parameters.items()}
            self._parameters = {name: tuple(arithmetic.to_numbers(part, self.network, number_format, name) for part in pair)
                                for name, pair in reals.items()}
        self._state = None
        self.number_format = number_format

    def get_weights(self):
        """Weights and biases of each layer, in Keras' order: float32, or float64 for s16.15, whose numbers are longer."""
        kind = numpy.float64 if self.number_format == 's16.15' else numpy.float32
        found = []
        for placed in self.network.with_weights():
            weights, biases = (arithmetic.to_reals(part, self.network, self.number_format).astype(kind)
                               for part in self._numbers()[placed.name])
            found += [placed.outwards(weights), biases]
        return found

    def set_weights(self, weights):
        """The arrays of get_weights(), or of a Keras model; rounded to the number format, nearest, ties upwards."""
        weights = [numpy.asarray(one) for one in weights]
        layers = self.network.with_weights()
        if len(weights) != 2 * len(layers):
            raise UsageError(f'{len(weights)} arrays, expected {2 * len(layers)}: weights and biases of {len(layers)} layers')
        parameters = {}
        for placed, given, biases in zip(layers, weights[::2], weights[1::2]):
            shapes = placed.parts()
            expected = placed.outwards(numpy.empty(shapes[0], numpy.int8)).shape
            for what, one, shape in (('weights', given, expected), ('biases', biases, shapes[1])):
                if one.shape != tuple(shape) or one.dtype.kind not in 'fiu':
                    raise UsageError(f'{placed.name}.{what}: {one.dtype} of {one.shape}, expected numbers of {tuple(shape)}')
            parameters[placed.name] = tuple(
                arithmetic.to_numbers(one, self.network, self.number_format, f'{placed.name}.{what}')
                for what, one in (('weights', placed.inwards(given)), ('biases', biases)))
        self._parameters = parameters

    def summary(self, print_fn=print):
        """Prints the layers with shapes and parameters."""
        print_fn(f'{self.network.name}\n{self.network.summary()}')

    def count_params(self):
        return sum(one.size for pair in self._numbers().values() for one in pair)

    # ---- training ----

    def compile(self, optimizer='sgd', loss='sparse_categorical_crossentropy', metrics=None):
        """How `fit` trains.  The loss is of the last layer's sums: softmax is a part of cross-entropy."""
        self.optimizer, self.loss = optimizer_of(optimizer), loss_of(loss)
        self.metrics = list(metrics or [])
        unknown = [one for one in self.metrics if one not in ('accuracy', 'acc', 'sparse_categorical_accuracy')]
        if unknown:
            raise UsageError(f"there is no metric {unknown[0]!r}; the only one is 'accuracy'")
        self._state = None

    def fit(self, x, y, batch_size=32, epochs=1, validation_data=None, board='spinn5', backend='spinnaker',
            number_format=None, mapping=None, settings=None, callbacks=None, verbose=0, threads=None, folder=None):
        """Trains; a further `fit` goes on with weights, optimizer state and counts of epochs.

        board          'spinn5', 'spinn3', 'one_chip', or a .yaml file
        backend        'spinnaker': the modelled machine; 'host': the same integers, without seconds and joules
        mapping        None: chosen by the program; else keys of `mapping`, such as {'kind': 'replica_per_chip', 'chips': 1}
        settings       further keys of the experiment, such as {'train.warm_up': 0.3}
        callbacks      objects with any of on_train_begin(model), on_epoch_begin(epoch, model), on_epoch_end(epoch, logs,
                       model), on_train_end(model): with those of epochs, each epoch is a run of its own; and with methods
                       named as the fourteen events of a run (events.EVENTS), called with (event, model)
        folder         where experiment and results stay; None: nowhere
        """
        if self.optimizer is None:
            raise NotCompiled('compile the model first: compile(optimizer, loss)')
        if backend not in BACKENDS:
            raise UsageError(f'there is no backend {backend!r}; one of: {", ".join(BACKENDS)}')
        epochs, batch_size = whole(epochs, 'epochs'), whole(batch_size, 'batch_size')
        pixels = images.images_of(x, self.network)
        split = {'train': (pixels, images.labels_of(y, len(pixels), self.network))}
        if validation_data is not None:
            if not isinstance(validation_data, (tuple, list)) or len(validation_data) != 2:
                raise UsageError('validation_data is to be a pair (x, y)')
            pixels = images.images_of(validation_data[0], self.network, 'validation x')
            split['test'] = (pixels, images.labels_of(validation_data[1], len(pixels), self.network, 'validation y'))
        how = {'board': board, 'backend': backend, 'mapping': mapping, 'settings': settings, 'threads': threads,
               'batch_size': batch_size}
        before = self.number_format, self._parameters, self._state, self.epochs_done
        callbacks = list(callbacks or [])
        listener = events.Listener(callbacks, self)
        how['listener'] = listener if listener.wanted else None
        self.stop_training = False
        try:
            self._use_format(number_format)
            _tell(callbacks, 'on_train_begin', self)
            if any(hasattr(one, name) for one in callbacks for name in ('on_epoch_begin', 'on_epoch_end')):
                history = self._fit_by_epochs(callbacks, split, epochs, how, folder, verbose)
            else:
                history = self._told(self._fit(split, epochs, how, folder), verbose)
        except SpinnsimError:
            if self.epochs_done == before[-1]:
                self.number_format, self._parameters, self._state, _ = before
            if listener.failure is not None:  # of a callback, as it was raised
                raise listener.failure from None
            raise
        _tell(callbacks, 'on_train_end', self)
        return history

    def _fit_by_epochs(self, callbacks, split, epochs, how, folder, verbose):
        """Each epoch is a run."""
        whole_history = None
        for epoch in range(epochs):
            _tell(callbacks, 'on_epoch_begin', epoch, self)
            place = None if folder is None else os.path.join(folder, f'epoch{epoch + 1}')
            history = self._told(self._fit(split, 1, how, place), verbose)
            if whole_history is None:
                whole_history = history
            else:
                for key, values in history.history.items():
                    whole_history.history[key] += values
                whole_history.epoch += history.epoch
                whole_history.summary, whole_history.stats_hash = history.summary, history.stats_hash
            _tell(callbacks, 'on_epoch_end', epoch, {key: values[-1] for key, values in history.history.items()}, self)
            if self.stop_training:
                break
        return whole_history

    @staticmethod
    def _told(history, verbose):
        if verbose:
            for i, epoch in enumerate(history.epoch):
                values = ' - '.join(f'{key}: {values[i]:.4g}' for key, values in history.history.items()
                                    if values[i] == values[i])
                print(f'Epoch {epoch + 1}: {values}')
        return history

    def _goes_on(self, updates_per_epoch, epochs):
        """Epochs done, as the state of the optimizer counts them; 0: it begins anew."""
        if self._state is None or self.number_format != 'int16':
            if self.epochs_done and self.number_format != 'int16' and self.optimizer.keys()['optimizer'] != 'sgd':
                warnings.warn(f'the state of the optimizer begins anew: {self.number_format} has no checkpoints', stacklevel=4)
            return 0
        return self._state.epochs(updates_per_epoch, epochs)

    def _training_keys(self, split, epochs, done, how):
        keys = {'include': ([experiment.board_file(how['board'])] if how['backend'] == 'spinnaker' else []) + INCLUDES,
                'name': 'fit', 'mode': 'train', 'backend': how['backend'], 'seed': self.seed,
                'data': {'set': 'files', 'train': 'train.npz', 'test': 'test.npz' if 'test' in split else 'train.npz'},
                'network': {'name': self.network.name, 'number_format': self.number_format}}
        if self._parameters is not None:
            keys['network']['weights'] = 'weights.npz'
        if how['backend'] == 'spinnaker':
            keys['mapping'] = dict(how['mapping'] or {'kind': 'auto'})
        updates = -(-len(split['train'][0]) // how['batch_size'])
        keys['train'] = {'epochs': done + epochs, 'global_batch': how['batch_size'], 'loss': self.loss} | (
            self.optimizer.keys() | {'warm_up': 0, 'decay': 'none', 'initializer': self.initializer} |
            ({'continues': True} if done else {}))
        keys['run'] = {'simulated_time_limit': '100000 s'}
        keys['record'] = {'counters': 'chip', 'learning_every': updates} | (
            {'last_checkpoint': True} if self.number_format == 'int16' else {})
        return experiment.nested(keys, how['settings'])

    def _fit(self, split, epochs, how, folder):
        updates = -(-len(split['train'][0]) // how['batch_size'])
        done = self._goes_on(updates, epochs)
        if done + epochs > experiment.EPOCHS_MOST:
            raise UsageError(f'{epochs} epochs, at most {experiment.EPOCHS_MOST - bool(done)} in one fit')
        with programs.workplace(folder) as place:
            keys = self._training_keys(split, epochs, done, how)
            experiment.write(place, keys, self.network, 'what does model.fit train?')
            for name, (pixels, labels) in split.items():
                experiment.write_images(os.path.join(place, f'{name}.npz'), pixels, labels)
            if self._parameters is not None:
                experiment.write_weights(os.path.join(place, 'weights.npz'), self.network, self._parameters,
                                         self.number_format)
            if done:
                self._state.write(os.path.join(place, 'before'), done)
            out = self._run(place, (['--resume', 'before'] if done else []), how['threads'], how['listener'])
            summary = results.summary(os.path.join(place, 'out'))
            history = results.epochs(os.path.join(place, 'out'), 'test' in split)
            arrays = results.archive(os.path.join(place, 'out', 'weights.npz'))
            self._parameters = experiment.read_weights(arrays, self.network, self.number_format, 'weights.npz')
            self.network.logit_factor = 1.0  # a training takes the sums as they are
            self._keep_state(os.path.join(place, 'out'), updates * len(history['loss']))
        first, self.epochs_done = self.epochs_done, self.epochs_done + len(history['loss'])
        return History(history, summary, out.strip(), first)

    def _keep_state(self, out, updates):
        path = os.path.join(out, 'checkpoint.npz')
        before = self._state.updates if self._state is not None else 0
        self._state = None
        if os.path.exists(path):
            self._state = experiment.State(results.archive(path), self.optimizer.keys()['optimizer'], before + updates)

    def _run(self, place, more, threads, listener=None):
        arguments = ['run', 'experiment.yaml', '--out', 'out', '--force', '--progress', 'none', *more]
        if threads is not None:
            arguments += ['--threads', str(whole(threads, 'threads'))]
        return programs.run(self.program, arguments, place, listener)[1]

    # ---- classification ----

    def _classified(self, pixels, labels, backend, board, mapping, threads, folder):
        """The sums of the last layer, and the run's summary (None: numpy)."""
        if backend == 'host':
            return arithmetic.logits(self.network, self._numbers(), self.number_format, pixels), None
        if backend != 'spinnaker':
            raise UsageError(f'there is no backend {backend!r}; one of: {", ".join(BACKENDS)}')
        if self.number_format != 'int16':
            raise UsageError(f"the machine classifies in int16, and trains only in {self.number_format}: backend='host'")
        keys = {'include': [experiment.board_file(board)] + INCLUDES, 'name': 'predict', 'mode': 'infer',
                'seed': self.seed, 'data': {'set': 'files', 'test': 'test.npz'},
                'network': {'name': self.network.name, 'number_format': 'int16', 'weights': 'weights.npz'},
                'run': {'simulated_time_limit': '100000 s'}, 'record': {'counters': 'chip'}}
        with programs.workplace(folder) as place:
            experiment.write_images(os.path.join(place, 'test.npz'), pixels, labels)
            experiment.write_weights(os.path.join(place, 'weights.npz'), self.network, self._numbers(), 'int16')
            self._run_mapped(place, keys, mapping, threads)
            out = os.path.join(place, 'out')
            return results.logits(out, self.network.classes), results.summary(out)

    def _run_mapped(self, place, keys, mapping, threads):
        """With the given mapping, or the first that has room."""
        choices = [mapping] if mapping is not None else CLASSIFIES[self._mapping:]
        plain = copy.copy(self.network)
        plain.logit_factor = 1.0  # for the integers as they are: predictions.csv has them divided
        for i, choice in enumerate(choices):
            experiment.write(place, keys | {'mapping': dict(choice)}, plain, 'what does model.predict answer?')
            try:
                self._run(place, [], threads)
                if mapping is None:
                    self._mapping += i
                return
            except RunFailed as failed:
                if failed.status != 2 or 'mapping' not in failed.message or i + 1 == len(choices):
                    raise

    def predict(self, x, backend='host', board='one_chip', logits=False, mapping=None, threads=None, folder=None):
        """Probabilities, float64 [image][class]; `logits`: the integers of the last layer's sums instead, which are the same
        with either backend.  'host' is numpy, 'spinnaker' the modelled machine."""
        pixels = images.images_of(x, self.network)
        z, _ = self._classified(pixels, numpy.zeros(len(pixels), numpy.uint8), backend, board, mapping, threads, folder)
        return z if logits else self._probabilities(z)

    def _probabilities(self, z):
        real = z / 2.0**arithmetic.logit_fraction(self.network, self.number_format) / self.network.logit_factor
        powers = numpy.exp(real - real.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def evaluate(self, x, y, backend='host', board='one_chip', return_dict=False, mapping=None, threads=None, folder=None,
                 verbose=0):
        """[loss, accuracy]: cross-entropy and the share of images whose class is the label.  `return_dict`: by name, of the
        machine with seconds, joules and stats_hash, too."""
        pixels = images.images_of(x, self.network)
        labels = images.labels_of(y, len(pixels), self.network)
        z, summary = self._classified(pixels, labels, backend, board, mapping, threads, folder)
        chosen = self._probabilities(z)[numpy.arange(len(z)), labels]
        loss = float(-numpy.log(numpy.maximum(chosen, numpy.finfo(float).tiny)).mean())
        accuracy = float((z.argmax(axis=1) == labels).mean())
        if verbose:
            print(f'loss: {loss:.4g} - accuracy: {accuracy:.4g}')
        if not return_dict:
            return [loss, accuracy]
        found = {'loss': loss, 'accuracy': accuracy}
        if summary is not None:
            found |= {'seconds': summary['seconds'], 'joules': summary['energy']['joules']['default'],
                      'stats_hash': summary['identity']['stats_hash']}
        return found

    # ---- files ----

    def save(self, path):
        """Writes NAME.yaml and NAME.npz, which the program reads as network and network.weights."""
        stem = _stem(path)
        name = os.path.basename(stem)
        experiment.write_weights(f'{stem}.npz', self.network, self._numbers(), self.number_format)
        extra = f'# {yaml_text.scalar(name)}: weights in {name}.npz, number_format {self.number_format}\n'
        experiment.write_text(f'{stem}.yaml', extra + self.network.text())

    @classmethod
    def load(cls, path, **options):
        """A model from such files.  Compile it before a `fit`: optimizer and state are not in them."""
        stem = _stem(path)
        layers, formats, _ = networks.read(f'{stem}.yaml')
        arrays = results.archive(f'{stem}.npz')
        model = cls(layers, **formats, **options)
        kinds = {one.dtype: name for name, one in ((key, numpy.zeros(0, kind)) for key, kind in
                                                  arithmetic.NUMBER_FORMATS.items())}
        first = arrays.get(f'{model.network.with_weights()[0].name}.weights')
        model.number_format = kinds.get(None if first is None else first.dtype, 'int16')
        model._parameters = experiment.read_weights(arrays, model.network, model.number_format, f'{stem}.npz')
        return model


def _tell(callbacks, name, *arguments):
    """Calls a method of those that have it."""
    for callback in callbacks:
        getattr(callback, name, lambda *_: None)(*arguments)


def _stem(path):
    """Without .yaml or .npz."""
    stem, extension = os.path.splitext(os.fspath(path))
    if extension not in ('', '.yaml', '.npz'):
        raise UsageError(f'{path}: a model is saved as NAME.yaml and NAME.npz')
    if not os.path.basename(stem):
        raise UsageError(f'{path} has no name')
    return stem
