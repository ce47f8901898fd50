"""LeNet-5 that PyTorch has exported to ONNX: imported, classified on a simulated chip, and trained for an epoch.

    PYTHONPATH=sim/python python3 sim/python/examples/lenet5_from_onnx.py lenet5.onnx

Where PyTorch is, such a file is made by: torch.onnx.export(model, torch.zeros(1, 1, 28, 28), 'lenet5.onnx'). This script needs
the file and MNIST ($SPINNSIM_DATA, data/mnist, ~/.cache/spinnsim/mnist), and no PyTorch.
"""
import argparse

import spinnsim

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument('model', help='an ONNX file')
options.add_argument('--input-scale', default='1/255', help='what a pixel 0 to 255 was multiplied by; default 1/255')
options.add_argument('--data', help='the folder of MNIST')
options.add_argument('--program', help='the program spinnsim; default: that of the checkout, or in the path')
options = options.parse_args()

(x_train, y_train), (x_test, y_test) = spinnsim.datasets.mnist.load_data(options.data)
model = spinnsim.load_model(options.model, input_scale=options.input_scale, data=options.data, program=options.program)
model.summary()
before = model.evaluate(x_test[:1000], y_test[:1000])
machine = model.evaluate(x_test[:100], y_test[:100], backend='spinnaker', return_dict=True)
print(f'as imported: accuracy {before[1]:.4f} of 1000 images; 100 images take {machine["seconds"] * 1e3:.1f} ms and '
      f'{machine["joules"] * 1e3:.2f} mJ on a chip')

model.compile(optimizer=spinnsim.SGD(0.01, momentum=0.9))
model.fit(x_train[:480], y_train[:480], batch_size=48, epochs=1, board='spinn3', verbose=1)
print(f'behind an epoch of 480 images: accuracy {model.evaluate(x_test[:1000], y_test[:1000])[1]:.4f}')
