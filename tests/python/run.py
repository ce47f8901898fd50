"""Runs the tests of a file: python3 run.py PROGRAM NAME...  Exit status 77: there is no numpy here."""
import importlib
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent

if __name__ == '__main__':
    try:
        importlib.import_module('numpy')
    except ImportError:
        print('skipped: Python has no numpy here')
        sys.exit(77)
    sys.dont_write_bytecode = True
    os.environ['SPINN_PROGRAM'] = os.path.abspath(sys.argv[1])
    sys.path[:0] = [str(HERE), str(HERE.parents[1] / 'sim' / 'python')]
    suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[2:])
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    for test, reason in result.skipped:
        print(f'skipped: {test}: {reason}')
    sys.exit(0 if result.wasSuccessful() else 1)
