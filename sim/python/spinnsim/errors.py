"""What the package raises."""


class SpinnsimError(Exception):
    """Of which all others are."""


class UsageError(SpinnsimError, ValueError):
    """A wrong argument: a layer, a shape, a label, a weight."""


class NotCompiled(SpinnsimError):
    """`fit` without `compile`."""


class ProgramMissing(SpinnsimError):
    """There is no program spinnsim."""


class RunFailed(SpinnsimError):
    """The program ended with an error: `status` (docs: README.md) and its message."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status
        self.message = message
