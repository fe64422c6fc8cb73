"""TLS certificates of a live server: a given one, or a self-signed one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext, SSLError
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from confsim.kernel.refusal import Misuse
from confsim.service.files import reading
from confsim.service.files.writing import replace_file

if TYPE_CHECKING:
    from cryptography.x509 import GeneralName

#: Names and addresses in every self-signed certificate.
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_VALID = timedelta(days=30)


def context(certificate: str | Path, key: str | Path | None = None) -> SSLContext:
    """Return the TLS context of a certificate (PEM, with its chain) and its private key, which may be in the same file.

    Raises Misuse when they cannot be read or do not belong together.
    """
    chain = reading.content(certificate, "certificate")
    private = chain if key is None else reading.content(key, "key")
    made = SSLContext(PROTOCOL_TLS_SERVER)
    try:
        with TemporaryDirectory(prefix="confsim-") as directory:  # only paths are loaded, and no byte order mark
            public, secret = Path(directory, "cert.pem"), Path(directory, "key.pem")
            for file, text in ((public, chain), (secret, private)):
                replace_file(file, "certificate", [text], private=True)
            made.load_cert_chain(public, secret, password=_no_password)
    except (SSLError, OSError, ValueError) as error:
        raise Misuse(_wrong(certificate, key, chain, private, error)) from None
    return made


def _wrong(certificate: str | Path, key: str | Path | None, chain: bytes, private: bytes, error: Exception) -> str:
    """Return the first mistake in the files of a certificate and its key."""
    holder = certificate if key is None else key
    if b"-----BEGIN CERTIFICATE-----" not in chain:
        return f"{certificate} has no certificate in the PEM format"
    if b"PRIVATE KEY-----" not in private:
        elsewhere = "; one in another file is given with --tls-key" if key is None else ""
        return f"{holder} has no private key in the PEM format{elsewhere}"
    if getattr(error, "reason", None) == "KEY_VALUES_MISMATCH":
        return f"{holder} has another key than that of the certificate in {certificate}"
    files = str(certificate) if key is None else f"{certificate} and {key}"
    return f"{files} give no certificate with its key: {getattr(error, 'reason', None) or error}"


def _no_password() -> str:
    raise ValueError("the key is encrypted")


def write_self_signed(directory: Path, names: Iterable[str] = ()) -> tuple[Path, Path]:
    """Write a certificate for the loopback names and for ``names``, and its key; return both paths.

    The certificate is self-signed; clients must trust it. It is valid for thirty days of the
    machine's time.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    from cryptography.x509.oid import NameOID

    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "confsim")])
    now = datetime.now(UTC)
    kinds = [_general_name(name) for name in dict.fromkeys((*_LOOPBACK, *names))]
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _VALID)
        .add_extension(x509.SubjectAlternativeName([kind for kind in kinds if kind is not None]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(private, SHA256())
    )
    certificate, key = directory / "cert.pem", directory / "key.pem"
    replace_file(certificate, "certificate", [signed.public_bytes(Encoding.PEM)])
    unlocked = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    replace_file(key, "key", [unlocked], private=True)
    return certificate, key


def _general_name(name: str) -> GeneralName | None:
    """Return a name or address in the form of a certificate; None when none can be issued for it."""
    from cryptography import x509

    with suppress(ValueError):
        address = ip_address(name)
        return None if address.is_unspecified else x509.IPAddress(address)
    with suppress(ValueError):
        return x509.DNSName(name)
    return None
