"""The coverage of the API by calls, when it is counted."""

from __future__ import annotations

from confsim.control.context import ControlContext
from confsim.control.coverage.collector import Collector
from confsim.control.coverage.report import CoverageReport, report
from confsim.control.declare import operation
from confsim.kernel.refusal import Misuse


@operation("GET /coverage")
def get_coverage(context: ControlContext) -> CoverageReport:
    """Get the coverage of the API by calls, in all worlds of this process, of what the touched areas can show.

    An area is touched when one of its operations was called. Counted are operations, refusals, transitions of state
    machines and assumptions, from where ``confsim serve --coverage`` or ``pytest --confsim-coverage`` began. Misuse
    (409) where nothing is counted.
    """
    collectors = Collector.attached
    if not collectors:
        hint = "confsim serve --coverage, or pytest --confsim-coverage"
        raise Misuse(f"nothing counts what calls meet: it is counted by {hint}", 409)
    with context.service.lock:
        return report(collectors[-1].counts, context.service.profile)
