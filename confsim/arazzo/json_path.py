"""JSONPath (RFC 9535) by its library, imported on first use; whole numbers of 64 bits are read to the last digit."""

from __future__ import annotations

import re

import jsonpath_rfc9535 as jsonpath
from jsonpath_rfc9535.filter_expressions import Expression, IntegerLiteral
from jsonpath_rfc9535.tokens import TokenStream

from confsim.kernel.refusal import Misuse
from confsim.values.plain import shown

_DIGITS = re.compile("-?[0-9]{1,19}", re.ASCII)


class _Parser(jsonpath.Parser):
    """The parser of the library, which reads every number as a floating-point one."""

    def parse_integer_literal(self, stream: TokenStream) -> Expression:
        """Return a whole number as it is written."""
        literal = super().parse_integer_literal(stream)
        text = stream.current.value
        return IntegerLiteral(stream.current, value=int(text)) if _DIGITS.fullmatch(text) else literal


class _Environment(jsonpath.JSONPathEnvironment):
    parser_class = _Parser


_ENVIRONMENT = _Environment()


def compiled(text: str) -> jsonpath.JSONPathQuery:
    """Return a JSONPath, ready to be applied. Raises Misuse for an invalid one."""
    try:
        return _ENVIRONMENT.compile(text)
    except jsonpath.JSONPathError as error:
        problem = str(error)
    except RecursionError:
        problem = "its filters are nested too deeply"
    except (ValueError, OverflowError):  # of int, for thousands of digits
        problem = "a number has too many digits"
    raise Misuse(f"JSONPath {shown(text)}: {problem}")
