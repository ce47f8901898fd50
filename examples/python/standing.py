"""A training that is looked at while it stands: weights and traffic behind each update, and two machines at once.

    PYTHONPATH=DIR/share/spinnsim/python python3 DIR/share/spinnsim/examples/python/standing.py [FOLDER]

Writes loss.svg and links.svg into FOLDER (here).  Needs numpy."""
import pathlib
import sys

import numpy

import spinnsim
from spinnsim import figures

CONFIGS = pathlib.Path(spinnsim.__file__).resolve().parents[2] / 'configs'
if not CONFIGS.is_dir():  # a checkout: sim/python/spinnsim
    CONFIGS = pathlib.Path(spinnsim.__file__).resolve().parents[3] / 'configs'
EXPERIMENT = CONFIGS / 'experiments' / 'xor_train.yaml'
BOARD = CONFIGS / 'experiments' / 'lenet1_train.yaml'
SMALL = {'data.set': 'synthetic', 'data.train_images': 384, 'data.test_images': 20, 'train.epochs': 1, 'accept': None,
         'mapping.chips': 4}
folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else '.')

# 1. Step a machine: to events, or to times.
with spinnsim.Machine(EXPERIMENT, settings={'train.epochs': 20, 'test.every_epochs': 1}) as machine:
    print('tensors:', machine.tensors)
    first = machine.tensor('hidden.weights')
    losses, moved = [], []
    while (event := machine.run_to('after_epoch')) is not None:
        losses.append(event.loss if event.loss is not None else float('nan'))
        moved.append(float(abs(machine.tensor('hidden.weights') - first).max()))
        if event.epoch == 10:
            print(f'epoch 10 at {machine.time_ps / 1e6:.0f} us: {machine.counter("core.instructions")} instructions,',
                  f'{machine.counter("core.instructions", 0, 0)} of them on chip 0,0')
    print('accuracy', machine.summary['accuracy'])
    figures.lines(folder / 'loss.svg', range(1, len(losses) + 1), {'loss': losses, 'largest change of a weight': moved},
                  'epoch', '')

# 2. Links while the run stands, in the middle of an update.
with spinnsim.Machine(BOARD, settings=SMALL) as machine:
    machine.run_to('after_step')
    machine.run_for(200_000_000)  # 200 us
    links = machine.links()
    busiest = links[links['packets'].argmax()]
    print(f'{links["packets"].sum()} packets on {len(links)} links; most, {busiest["packets"]},',
          f'from chip {busiest["x"]},{busiest["y"]} by link {busiest["link"]}')
    figures.links(folder / 'links.svg', links, links['busy_ps'] / machine.time_ps, 'share of time in which links are busy')

# 3. Two machines interleaved give the results of two separate runs.
settings = [{'seed': 1, 'train.epochs': 3}, {'seed': 2, 'train.epochs': 3}]
apart = []
for one in settings:
    with spinnsim.Machine(EXPERIMENT, settings=one) as machine:
        machine.run()
        apart.append(machine.summary['stats_hash'])
machines = [spinnsim.Machine(EXPERIMENT, settings=one) for one in settings]
while not all(machine.ended for machine in machines):
    for machine in machines:
        if not machine.ended:
            machine.run_for(100_000_000)
assert [machine.summary['stats_hash'] for machine in machines] == apart
weights = [machine.tensor('hidden.weights') for machine in machines]
assert not numpy.array_equal(*weights)
for machine in machines:
    machine.close()
print('two machines interleaved: the results of two separate runs')
