"""Reading a directory that a stranger made: regular files only, no link followed, everything bounded."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from oloproof.errors import UnreadableFile
from oloproof.stages.attest.verdict import FailureClass, Rejected

#: Files and folders of a bundle together; a larger directory is refused before it is listed to its end.
MAX_ENTRIES: Final = 512
MAX_COMPONENTS: Final = 6

_COMPONENT = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}\Z")
#: Names that mean a device on Windows, whatever follows their first dot.
_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))))
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_WINDOWS_STRIPS = "."


class Folder:
    """A bundle's directory, held by its descriptor: what is opened lies in it, even if its path is changed meanwhile.

    Raises: UnreadableFile where the path cannot be opened, Rejected (MALFORMED) where it is no directory.
    """

    __slots__ = ("_fd", "path")

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except NotADirectoryError as error:
            raise Rejected(
                FailureClass.MALFORMED, path.name, "no directory; this version reads a bundle in its directory form"
            ) from error
        except (OSError, ValueError) as error:
            raise UnreadableFile(str(path), _reason(error)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._fd)

    def names(self) -> frozenset[str]:
        """Every file below, as `a/b/c`. Raises: Rejected (MALFORMED) for a name or kind of file that no bundle has."""
        found: list[str] = []
        folders = [()]  # type: list[tuple[str, ...]]
        n_entries = 0
        while folders:
            parents = folders.pop()
            for name, mode in self._entries(parents):
                n_entries += 1
                if n_entries > MAX_ENTRIES:
                    raise _malformed("the bundle", f"more than {MAX_ENTRIES} files and folders")
                parts = (*parents, _component(name, parents))
                if stat.S_ISDIR(mode):
                    folders.append(parts)
                elif stat.S_ISREG(mode):
                    found.append("/".join(parts))
                else:
                    raise _malformed("/".join(parts), "neither a regular file nor a folder")
                if len(parts) > MAX_COMPONENTS:
                    raise _malformed("/".join(parts)[:80], f"more than {MAX_COMPONENTS} levels of folders")
        return frozenset(found)

    def _entries(self, parents: tuple[str, ...]) -> Iterator[tuple[str, int]]:
        """Name and mode of each entry; one at a time, so that a huge folder costs nothing."""
        with self._opened("/".join(parents), _FOLDER, parents) as descriptor, os.scandir(descriptor) as entries:
            for entry in entries:
                yield entry.name, entry.stat(follow_symlinks=False).st_mode

    @contextmanager
    def open(self, name: str) -> Iterator[BufferedReader]:
        """A regular file, by its name in names().

        Raises: Rejected: INTEGRITY where it is absent, MALFORMED where it is no regular file; UnreadableFile.
        """
        with self._opened(name, _FILE, tuple(name.split("/"))) as descriptor:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _malformed(name, "not a regular file")
            with os.fdopen(descriptor, "rb", closefd=False) as stream:
                yield stream

    def read(self, name: str, limit: int) -> bytes:
        """A whole file of at most limit bytes. Raises: as open, and Rejected (MALFORMED) where it is larger."""
        with self.open(name) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size > limit:
                raise _malformed(name, f"{size} bytes; the limit is {limit}")
            # Not the limit: read() takes the room beforehand. One byte more tells a file that grows.
            data = stream.read(size + 1)
        if len(data) > size:
            raise Rejected(FailureClass.INTEGRITY, name, "it grew while it was read")
        return data

    @contextmanager
    def _opened(self, name: str, flags: int, parts: tuple[str, ...]) -> Iterator[int]:
        held: list[int] = []
        try:
            at = self._fd
            for index, part in enumerate(parts or (".",)):
                is_last = index == max(len(parts), 1) - 1
                at = os.open(part, flags if is_last else _FOLDER, dir_fd=at)
                held.append(at)
        except OSError as error:
            for descriptor in held:
                os.close(descriptor)
            raise _translated(name, error) from error
        try:
            yield at
        finally:
            for descriptor in held:
                os.close(descriptor)


def _translated(name: str, error: OSError) -> Rejected | UnreadableFile:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return Rejected(FailureClass.INTEGRITY, name, "absent")
    if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
        return _malformed(name, "not a regular file")
    return UnreadableFile(name, _reason(error))


def _component(name: str, parents: tuple[str, ...]) -> str:
    is_device = name.partition(".")[0] in _DEVICES
    if not _COMPONENT.match(name) or name.endswith(_WINDOWS_STRIPS) or is_device:
        place = "/".join((*parents, name.encode(errors="replace").decode()))[:160]
        raise _malformed(place, "not a name that a bundle can hold")
    return name


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__


def _malformed(place: str, reason: str) -> Rejected:
    return Rejected(FailureClass.MALFORMED, place, reason)
