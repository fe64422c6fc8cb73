"""Mails that the service sends."""

from __future__ import annotations

from .register import assumption

MAIL_STORED = assumption(
    "mail.kept",
    "G224",
    "Whether mails are stored in the world, where the control plane lists them; they are never sent anywhere else.",
    True,
    (False,),
)

MAIL_MOST = assumption(
    "mail.most", "G224", "How many of the latest mails of a client are stored; older ones are removed.", 1000, (100,)
)
