"""Finding and running the program spinnsim."""
import contextlib
import os
import pathlib
import shutil
import socket
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


def _listened(command, folder, listener, said, complained):
    """Runs a command that tells `listener` of its events; its exit status."""
    ours, theirs = socket.socketpair()
    with ours, theirs, subprocess.Popen([*command, '--events', str(theirs.fileno())], cwd=folder, stdin=subprocess.DEVNULL,
                                        stdout=said, stderr=complained, pass_fds=[theirs.fileno()]) as process:
        theirs.close()
        try:
            listener.hear(ours)
        except BaseException:  # an interrupt from the keyboard, for one
            process.kill()
            raise
        if listener.failure is not None:
            process.kill()
    return process.returncode


def run(program, arguments, folder, listener=None):
    """Runs the program in a folder, heard by a Listener if there is one; what it says.  RunFailed unless it is done."""
    command = [find(program), *arguments]
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:  # pipes might fill while a callback works
        try:
            if listener is None:
                status = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=complained,
                                        check=False).returncode
            else:
                status = _listened(command, folder, listener, said, complained)
        except OSError as error:
            raise ProgramMissing(f'cannot run spinnsim: {error}') from error
        output, errors = (_text(file) for file in (said, complained))
    if status != 0:
        why = errors.strip() or output.strip() or f'spinnsim ended with status {status}'
        why = why.replace(f'{os.path.realpath(folder)}/', '').replace(f'{folder}/', '')
        raise RunFailed(status, why.removeprefix('spinnsim: '))
    return output, errors


def _text(file):
    file.seek(0)
    return file.read().decode(errors='replace')


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
