"""Finding and running the program spinnsim."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from .errors import ProgramMissing, RunFailed, SpinnsimError

HERE = pathlib.Path(__file__).resolve().parent


def places():
    """Where the program is looked for, in this order."""
    if HERE.parent.name == 'python' and HERE.parent.parent.name == 'sim':  # a checkout: sim/python/spinnsim
        yield HERE.parents[2] / 'build' / 'spinnsim'
    for folder in list(HERE.parents)[:5]:  # installed: PREFIX/share/spinnsim/python/spinnsim and PREFIX/bin
        if (folder / 'share' / 'spinnsim' / 'configs').is_dir():
            yield folder / 'bin' / 'spinnsim'
    found = shutil.which('spinnsim')
    if found:
        yield pathlib.Path(found)


def find(program=None):
    """The path of the program: the given one, or the first of places()."""
    wanted = [pathlib.Path(program)] if program is not None else list(places())
    for path in wanted:
        if path.is_file() and os.access(path, os.X_OK):
            return str(path.resolve())
    looked = f'{program} is no program' if program is not None else (
        'looked in: ' + ', '.join([str(path) for path in wanted] + ['PATH']))
    raise ProgramMissing(f'there is no program spinnsim ({looked}): build it (scripts/quickstart.sh), or give its path as '
                         'program=')


def run(program, arguments, folder):
    """Runs the program in a folder; what it says.  RunFailed unless it is done."""
    try:
        done = subprocess.run([find(program), *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors='replace', check=False)
    except OSError as error:
        raise ProgramMissing(f'cannot run spinnsim: {error}') from error
    if done.returncode != 0:
        said = done.stderr.strip() or done.stdout.strip() or f'spinnsim ended with status {done.returncode}'
        said = said.replace(f'{os.path.realpath(folder)}/', '').replace(f'{folder}/', '')
        raise RunFailed(done.returncode, said.removeprefix('spinnsim: '))
    return done.stdout, done.stderr


@contextlib.contextmanager
def workplace(folder=None):
    """A folder for an experiment: a temporary one that goes away, or the given one, which stays."""
    try:
        if folder is not None:
            os.makedirs(folder, exist_ok=True)
            yield os.path.abspath(folder)
            return
        with tempfile.TemporaryDirectory(prefix='spinnsim-') as made:
            yield made
    except OSError as error:
        raise SpinnsimError(f'cannot write the experiment: {error}') from error
