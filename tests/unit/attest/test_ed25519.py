"""Keys in files, and signatures held against vectors from elsewhere."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
import subprocess
from pathlib import Path

import pytest
from attacks.recipes import K1
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from shared_data import shared

from oloproof.adapters.ed25519 import (
    BadKey,
    config_dir,
    fingerprint,
    load_signer,
    own_signer,
    read_public_key,
    salt_key,
    ssh_text,
    verify_signature,
)
from oloproof.errors import UnreadableFile


def test_all_wycheproof_vectors_come_out_as_they_should():
    found = json.loads(shared("vectors", "wycheproof", "testvectors_v1", "ed25519_test.json").read_text())
    n = 0
    for group in found["testGroups"]:
        key = bytes.fromhex(group["publicKey"]["pk"])
        for test in group["tests"]:
            n += 1
            holds = verify_signature(key, bytes.fromhex(test["sig"]), bytes.fromhex(test["msg"]))
            assert holds is (test["result"] == "valid"), test["tcId"]
    assert n >= 150


def test_all_djb_vectors_hold_and_their_changed_twins_do_not():
    path = next(item for item in shared("vectors", "ed25519-djb").rglob("ed25519") if item.is_file())
    lines = path.read_text().splitlines()
    assert len(lines) == 1024
    for line in lines:
        secret, public, message, signed = (bytes.fromhex(part) for part in line.split(":")[:4])
        signature = signed[:64]
        assert Ed25519PrivateKey.from_private_bytes(secret[:32]).sign(message) == signature
        assert verify_signature(public, signature, message)
        assert not verify_signature(public, signature, message + b"x")


def test_a_signature_of_another_length_is_no_signature():
    raw = read_public_key(K1.public_key, "x")
    for signature in (b"", b"\x00" * 63, b"\x00" * 65):
        assert verify_signature(raw, signature, b"") is False


def test_the_fingerprint_is_the_one_that_ssh_keygen_prints(tmp_path):
    (tmp_path / "key.pub").write_text(K1.public_key + " somebody\n")
    found = subprocess.run(["ssh-keygen", "-lf", "key.pub"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.split()[1] == K1.keyid


def test_a_public_key_reads_back_with_and_without_comment():
    raw = read_public_key(K1.public_key, "x")
    assert read_public_key(K1.public_key + " me@example", "x") == raw
    assert ssh_text(raw) == K1.public_key
    assert fingerprint(raw) == K1.keyid


@pytest.mark.parametrize("change", ["", "x", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-rsa AAAA", "\n"])
def test_what_is_no_public_key_is_refused(change):
    with pytest.raises(BadKey):
        read_public_key(change, "x")


@pytest.mark.parametrize("cut", [1, 4, 20])
def test_a_cut_or_longer_public_key_is_refused(cut):
    with pytest.raises(BadKey):
        read_public_key(K1.public_key[:-cut], "x")
    with pytest.raises(BadKey):
        read_public_key(K1.public_key + "A" * cut, "x")


def test_the_own_key_is_made_once_and_only_its_owner_reads_it(tmp_path):
    directory, root = tmp_path / "config", tmp_path / "project"
    root.mkdir()
    made = own_signer(directory, root=root)
    assert stat.S_IMODE((directory / "signing.pem").stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert own_signer(directory, root=root).keyid == made.keyid
    assert sorted(item.name for item in directory.iterdir()) == ["signing.pem"]
    raw = read_public_key(made.public_key, "x")
    assert verify_signature(raw, made.sign(b"hello"), b"hello")


def _keyid(directory: str, root: str) -> str:
    return own_signer(Path(directory), root=Path(root)).keyid


def test_two_processes_at_once_end_with_one_key(tmp_path):
    directory, root = tmp_path / "config", tmp_path / "project"
    root.mkdir()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        keyids = pool.starmap(_keyid, [(str(directory), str(root))] * 8)
    assert len(set(keyids)) == 1
    assert [item.name for item in directory.iterdir()] == ["signing.pem"]


def test_a_key_inside_the_projects_git_tree_is_refused(tmp_path):
    (tmp_path / ".git").mkdir()
    root = tmp_path / "suites" / "one"
    root.mkdir(parents=True)
    for directory in (tmp_path, tmp_path / "config", root / ".config"):
        with pytest.raises(BadKey, match="git tree"):
            own_signer(directory, root=root)
        with pytest.raises(BadKey, match="git tree"):
            salt_key(directory, {}, root=root)
    assert not (tmp_path / "config").exists()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
def test_a_key_that_others_can_read_is_refused_with_the_way_out(tmp_path, mode):
    own_signer(tmp_path / "config", root=tmp_path)
    path = tmp_path / "config" / "signing.pem"
    path.chmod(mode)
    with pytest.raises(BadKey, match="chmod 600"):
        load_signer(path)


def test_an_openssh_key_is_taken(tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "id"], cwd=tmp_path, check=True)
    public = (tmp_path / "id.pub").read_text()
    assert ssh_text(read_public_key(public.strip(), "x")) == load_signer(tmp_path / "id").public_key


def _write(path, data) -> Path:
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def test_keys_that_cannot_be_used_are_refused_with_the_reason(tmp_path):
    key = Ed25519PrivateKey.generate()
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x"))
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", "id"], cwd=tmp_path, check=True)
    locked_ssh = (tmp_path / "id").read_bytes()
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for data, reason in (
        (locked, "passphrase"),
        (locked_ssh, "passphrase"),
        (other, "Ed25519 key is due"),
        (b"-----BEGIN PRIVATE KEY-----\n", "no private key"),
        (b"", "no private key"),
        (b"x" * 100_000, "too large"),
    ):
        with pytest.raises(BadKey, match=reason):
            load_signer(_write(tmp_path / "key", data))
    with pytest.raises(UnreadableFile):
        load_signer(tmp_path / "nothing")


def test_the_salt_key_is_made_once(tmp_path):
    made = salt_key(tmp_path / "config", {}, root=tmp_path)
    assert len(made) == 32
    assert salt_key(tmp_path / "config", {}, root=tmp_path) == made
    assert stat.S_IMODE((tmp_path / "config" / "salt.key").stat().st_mode) == 0o600


def test_the_salt_key_of_the_environment_comes_first_and_touches_no_file(tmp_path):
    environ = {"OLOPROOF_SALT_KEY": "00ff" * 8}
    assert salt_key(tmp_path / "config", environ, root=tmp_path) == bytes.fromhex("00ff" * 8)
    assert not (tmp_path / "config").exists()


@pytest.mark.parametrize("text", ["", "00", "0" * 30, "0" * 33, "g" * 32, "0" * 32 + "\n", "0x" + "0" * 32])
def test_a_bad_salt_key_is_refused(tmp_path, text):
    with pytest.raises(BadKey):
        salt_key(tmp_path, {"OLOPROOF_SALT_KEY": text}, root=tmp_path)


def test_a_damaged_salt_key_is_refused_and_not_replaced(tmp_path):
    path = _write(tmp_path / "salt.key", b"short")
    with pytest.raises(BadKey, match="5 bytes"):
        salt_key(tmp_path, {}, root=tmp_path)
    assert path.read_bytes() == b"short"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"OLOPROOF_CONFIG_DIR": "/a", "XDG_CONFIG_HOME": "/b", "HOME": "/c"}, "/a"),
        ({"XDG_CONFIG_HOME": "/b", "HOME": "/c"}, "/b/oloproof"),
        ({"HOME": "/c"}, "/c/.config/oloproof"),
    ],
)
def test_where_configuration_lies(environ, expected):
    assert config_dir(environ) == Path(expected)


def test_no_home_at_all_is_said():
    with pytest.raises(BadKey, match="OLOPROOF_CONFIG_DIR"):
        config_dir({})
