"""The fourteen events of a run, in their order (sim/run_control/events.def), and the callbacks that hear them."""
import collections
import contextlib
import json

EVENTS = ('before_run', 'before_epoch', 'before_training_set', 'before_step', 'after_step', 'step_check', 'after_training_set',
          'before_test_set', 'before_inference', 'after_inference', 'after_test_set', 'after_epoch', 'epoch_check',
          'after_run')

# epoch and update count from 1 (0: none has begun); time_ps: machine time, 0 on the host; loss, accuracy: None: not known.
Event = collections.namedtuple('Event', 'name epoch update time_ps loss accuracy')


class Listener:
    """Methods of callbacks that are named as events: called with (event, model) while the run stands.  `failure`: what one has
    raised, which ends the run."""

    def __init__(self, callbacks, model):
        self.model, self.failure = model, None
        self.methods = {name: [getattr(one, name) for one in callbacks if hasattr(one, name)] for name in EVENTS}
        self.wanted = [name for name in EVENTS if self.methods[name]]

    def _answer(self, event):
        """How the run goes on: at a check, a method that returns False ends it."""
        refused = [method(event, self.model) is False for method in self.methods[event.name]]
        if event.name == 'step_check' and any(refused):
            return 'stop'
        if event.name == 'epoch_check' and any(refused):
            self.model.stop_training = True
        return 'stop_epoch' if self.model.stop_training else 'go'

    def hear(self, socket):
        """Serves `spinnsim run --events` (sim/experiment/listener.h) until the run ends or a callback fails."""
        with contextlib.suppress(ConnectionError), socket.makefile('rw', encoding='ascii', newline='\n') as lines:
            lines.write(' '.join(self.wanted) + '\n')
            lines.flush()
            for line in iter(lines.readline, ''):
                found = json.loads(line)
                try:
                    answer = self._answer(Event(found.pop('event'), **found))
                except Exception as failure:
                    self.failure = failure
                    return
                lines.write(answer + '\n')
                lines.flush()
