"""Languages of users (P1 Endpoints, Users)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import LanguageCode
from confsim.api.paths import MeOrUser
from confsim.assumptions import ask
from confsim.assumptions.users import users as assumed_users
from confsim.contract import Source, Wire, gates
from confsim.domain.users import languages

operation = API.family(line="P1 Users")


class LanguageCodes(Wire):
    """Language codes, the preferred one first."""

    languages: Annotated[list[LanguageCode], "ISO 639-1 codes with an optional region, the preferred one first."]


@operation(
    "POST /users/{userId}/languages",
    gate=gates.SELF_OR_ADMIN.assumed("G160"),
    rules="R018 R050 R198 R199 R200",
    gaps="G158 G206",
)
def set_user_languages(call: Call, user: MeOrUser, body: LanguageCodes) -> None:
    """Set the languages of a user in order: ISO 639-1 codes with an optional region, such as de-CH."""
    languages.put(call.change, user, body.languages)


@operation("GET /languages", gate=gates.SIGNED_IN.assumed("G558"), gaps="G558", source=Source.NAME_ONLY)
def list_supported_languages(call: Call) -> list[str]:
    """List the codes of the languages that the service supports."""
    return [*ask(call.change, assumed_users.SUPPORTED_LANGUAGES)]
