"""Ed25519 with `cryptography`: keys in files, signatures, and the OpenSSH texts and fingerprints of public keys."""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_ssh_private_key,
)

from oloproof.canon.digests import sha256
from oloproof.errors import UnreadableFile, UsageError

SIGNING_KEY: Final = "signing.pem"
SALT_KEY: Final = "salt.key"
#: Bytes of a salt key that we make, and the least that one given by hand must have.
SALT_KEY_BYTES: Final = 32
MIN_SALT_KEY_BYTES: Final = 16

#: A key file is a few hundred bytes; more is no key.
_MAX_KEY_BYTES = 64 << 10
_KEY_TYPE = b"ssh-ed25519"
_SSH_TEXT = re.compile(r"ssh-ed25519 ([A-Za-z0-9+/]+={0,2})(?: [^\r\n]*)?\Z")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})+\Z")
_OTHERS_CAN_READ = stat.S_IRWXG | stat.S_IRWXO
#: The field prime of Curve25519: a y-coordinate from here on is a second spelling of a smaller one.
_P = 2**255 - 19
_Y_MASK = (1 << 255) - 1
#: y-coordinates of the points of order 1, 2, 4 and 8: under these keys anybody can make signatures.
#: Source: RFC 8032 section 5.1 (the curve); the values are those of https://cr.yp.to/ecdh.html#validate, as y.
_SMALL_ORDER_Y = frozenset(
    (
        0,
        1,
        _P - 1,
        0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
        0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
    )
)


class BadKey(UsageError):
    """A key that cannot be used, and why."""

    def __init__(self, where: str, reason: str) -> None:
        self.where, self.reason = where, reason
        super().__init__(f"{where}: {reason}")


def config_dir(environ: Mapping[str, str]) -> Path:
    """Where keys and trust lie: $OLOPROOF_CONFIG_DIR, else $XDG_CONFIG_HOME/oloproof, else ~/.config/oloproof."""
    if named := environ.get("OLOPROOF_CONFIG_DIR"):
        return Path(named)
    if home := environ.get("XDG_CONFIG_HOME"):
        return Path(home) / "oloproof"
    user = environ.get("HOME") or environ.get("USERPROFILE")
    if not user:
        raise BadKey("configuration", "no home directory is known; set OLOPROOF_CONFIG_DIR")
    return Path(user) / ".config" / "oloproof"


class FileSigner:
    """A signer whose private key lies in a file; load_signer, own_signer and made_signer make it."""

    __slots__ = ("_key", "_raw")

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self._raw = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @property
    def keyid(self) -> str:
        """`SHA256:` and the OpenSSH fingerprint of the public key."""
        return fingerprint(self._raw)

    @property
    def public_key(self) -> str:
        """`ssh-ed25519 AAAA…`."""
        return ssh_text(self._raw)

    def sign(self, message: bytes) -> bytes:
        """64 bytes, the same for the same message (RFC 8032)."""
        return self._key.sign(message)


def own_signer(directory: Path, *, root: Path) -> FileSigner:
    """The signer of `signing.pem` in the configuration directory, made on first use.

    root: the project's root; a directory inside its git tree is refused, since keys there end in commits.
    Raises: BadKey, UnreadableFile.
    """
    path = directory / SIGNING_KEY
    _refuse_inside(directory, root)

    def fresh() -> bytes:
        return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    _make_once(path, fresh)
    return load_signer(path)


def load_signer(path: Path) -> FileSigner:
    """The signer of a private key file, PKCS#8 PEM or OpenSSH, without passphrase. Raises: BadKey, UnreadableFile."""
    data = _read_secret(path)
    load = load_ssh_private_key if b"OPENSSH PRIVATE KEY" in data else load_pem_private_key
    try:
        key = load(data, None)
    except TypeError as error:
        raise BadKey(str(path), "the key has a passphrase; this version takes keys without one") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise BadKey(str(path), "no private key in PKCS#8 PEM or OpenSSH form") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise BadKey(str(path), f"an Ed25519 key is due, not {type(key).__name__.lstrip('_')}")
    return FileSigner(key)


def salt_key(directory: Path, environ: Mapping[str, str], *, root: Path) -> bytes:
    """The secret behind all salts: $OLOPROOF_SALT_KEY in hexadecimal, else `salt.key`, made on first use.

    Raises: BadKey, UnreadableFile.
    """
    given = environ.get("OLOPROOF_SALT_KEY")
    if given is not None:
        if not _HEX.match(given) or len(given) < 2 * MIN_SALT_KEY_BYTES:
            raise BadKey("OLOPROOF_SALT_KEY", f"at least {2 * MIN_SALT_KEY_BYTES} hexadecimal digits are due, in pairs")
        return bytes.fromhex(given)
    path = directory / SALT_KEY
    _refuse_inside(directory, root)
    _make_once(path, lambda: secrets.token_bytes(SALT_KEY_BYTES))
    key = _read_secret(path)
    if len(key) != SALT_KEY_BYTES:
        raise BadKey(str(path), f"{len(key)} bytes; a salt key has {SALT_KEY_BYTES}. Restore it, or delete it")
    return key


def verify_signature(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """True if this is the key's Ed25519 signature over the message (RFC 8032, S below the group order).

    public_key: 32 bytes that read_public_key accepted; a key of small order would let anybody sign.
    """
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_public_key(text: str, where: str) -> bytes:
    """The 32 bytes of an OpenSSH public key text, `ssh-ed25519 AAAA… [comment]`.

    Raises: BadKey for another type, another spelling of a key, and the points under which anybody can sign.
    """
    found = _SSH_TEXT.match(text)
    try:
        blob = base64.b64decode(found[1], validate=True) if found else b""
    except binascii.Error:
        blob = b""
    head = _framed(_KEY_TYPE)
    raw = blob[len(head) + 4 :]
    if not found or blob != head + _framed(raw) or len(raw) != 32 or ssh_text(raw) != f"ssh-ed25519 {found[1]}":  # noqa: PLR2004 -- RFC 8032
        raise BadKey(where, "no Ed25519 key in OpenSSH form; write ssh-ed25519 AAAA… as in an id_ed25519.pub")
    y = int.from_bytes(raw, "little") & _Y_MASK
    if y >= _P:
        raise BadKey(where, "the key is a second spelling of another key")
    if y in _SMALL_ORDER_Y:
        raise BadKey(where, "the key is a point of small order, under which anybody can sign")
    return raw


def fingerprint(raw: bytes) -> str:
    """`SHA256:` and base64 without padding, as `ssh-keygen -lf` prints it."""
    digest = sha256(_framed(_KEY_TYPE) + _framed(raw))
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def ssh_text(raw: bytes) -> str:
    """The OpenSSH text of a public key, without comment."""
    return "ssh-ed25519 " + base64.b64encode(_framed(_KEY_TYPE) + _framed(raw)).decode()


def _framed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def _refuse_inside(directory: Path, root: Path) -> None:
    place, tree = directory.absolute().resolve(), root.resolve()
    top = next((parent for parent in (tree, *tree.parents) if (parent / ".git").exists()), None)
    if top is not None and place.is_relative_to(top):
        raise BadKey(str(directory), f"lies inside the git tree {top}, where keys end in commits; move it elsewhere")


def _make_once(path: Path, fresh: Callable[[], bytes]) -> None:
    """Makes a secret file whole or not at all; of two processes at once both end with the first one's file."""
    if os.path.lexists(path):
        return
    own = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(fresh())
                file.flush()
                os.fsync(file.fileno())
            # A link is made whole or not at all, and never over an existing name.
            with contextlib.suppress(FileExistsError):
                os.link(own, path)
        finally:
            own.unlink()
    except OSError as error:
        raise BadKey(str(path), f"cannot be made: {error.strerror}") from error


def _read_secret(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(_MAX_KEY_BYTES + 1)
    except OSError as error:
        raise UnreadableFile(str(path), error.strerror or type(error).__name__) from error
    if os.name == "posix" and mode & _OTHERS_CAN_READ:
        raise BadKey(str(path), f"others can read it (mode {stat.S_IMODE(mode):04o}); run: chmod 600 {path}")
    if len(data) > _MAX_KEY_BYTES:
        raise BadKey(str(path), "too large to be a key")
    return data
