"""Email addresses of users and their verification; mails that the service sends."""

from __future__ import annotations

from confsim.assumptions.register import assumption

_SET_EMAIL = "set_user_email"

EMAIL_MISSING = assumption(
    "emails.without",
    "G220",
    "Setting an address without giving one: clears the address and what waits, sends the codes that wait again, or is "
    "refused.",
    "clears",
    ("resends", "refused"),
    _SET_EMAIL,
    refuses={"EMAIL_MISSING": ("refused", "resends")},
)
EMAIL_MALFORMED = assumption(
    "emails.malformed",
    "G221",
    "An address that is not one @ between two parts without spaces: refused, or taken.",
    "refused",
    ("taken",),
    "set_user_email create_user create_predefined_user",
    refuses={"EMAIL_MALFORMED": ("refused",)},
)
EMAIL_VERIFICATION = assumption(
    "emails.verification",
    "G222 G553",
    "An address is verified by the code mailed to it, or as soon as it is set. A code of six digits lives until an "
    "address is verified or its own is set again.",
    "code",
    ("immediate",),
    f"{_SET_EMAIL} verify_user_email create_user",
)
EMAIL_SECOND = assumption(
    "emails.second",
    "G223",
    "A new address after one is verified: the old one stays until the new is verified, stays for ever, or goes at "
    "once.",
    "when-verified",
    ("never", "at-once"),
    f"{_SET_EMAIL} verify_user_email",
)
EMAIL_SHARED = assumption(
    "emails.shared",
    "G225",
    "Whether an address that another user of the client has verified may be set.",
    "allowed",
    ("refused",),
    f"{_SET_EMAIL} create_user create_predefined_user",
    refuses={"EMAIL_TAKEN": ("refused",)},
)
EMAIL_AT_REGISTRATION = assumption(
    "emails.registration",
    "G246",
    "The address given at registration: a code is mailed to it, it is unverified without a mail, or verified.",
    "mailed",
    ("silent", "verified"),
    "create_user",
)


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
