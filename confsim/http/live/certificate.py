"""Certificates of a live server that speaks HTTPS: one that is given, or one that it signs itself."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext, SSLError
from typing import TYPE_CHECKING

from confsim.kernel.refusal import Misuse

if TYPE_CHECKING:
    from cryptography.x509 import GeneralName

#: Names and addresses that every certificate of its own is for.
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_VALID = timedelta(days=30)


def context(certificate: str | Path, key: str | Path | None = None) -> SSLContext:
    """The TLS context of a certificate (PEM, with its chain) and its private key, which may be in the same file.

    Misuse when they cannot be read or do not belong together.
    """
    made = SSLContext(PROTOCOL_TLS_SERVER)
    try:
        made.load_cert_chain(certificate, key, password=_no_password)
    except (SSLError, OSError, ValueError) as error:
        files = str(certificate) if key is None else f"{certificate} and {key}"
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)
        raise Misuse(f"{files} give no certificate with its key: {reason}") from None
    return made


def _no_password() -> str:
    raise ValueError("the key is encrypted")


def write_self_signed(directory: Path, names: Iterable[str] = ()) -> tuple[Path, Path]:
    """Write a certificate for the loopback names and for ``names``, and its key; returns both paths.

    Clients trust it once they are given the certificate, which signs itself. It is valid for thirty days of the
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
    certificate.write_bytes(signed.public_bytes(Encoding.PEM))
    key.touch(mode=0o600)
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return certificate, key


def _general_name(name: str) -> GeneralName | None:
    """A name or an address as a certificate has it; None for one that none can be issued for."""
    from cryptography import x509

    with suppress(ValueError):
        address = ip_address(name)
        return None if address.is_unspecified else x509.IPAddress(address)
    with suppress(ValueError):
        return x509.DNSName(name)
    return None
