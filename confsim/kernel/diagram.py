"""Other forms of machines: state diagrams, and rows in plain words for the reference."""

from typing import Any

from .machine import Machine


def mermaid(machine: Machine[Any, Any]) -> str:
    """Return the machine as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", f"    [*] --> {machine.initial.value}"]
    for row in machine.rows:
        trigger = row.when if row.at is None else f"{row.when} at the deadline of {row.at.timer}"
        label = trigger if row.only_if is None else f"{trigger} [{row.only_if}]"
        lines += [f"    {state.value} --> {row.then.value}: {label}" for state in row.on]
    return "\n".join(lines)


def in_words(machine: Machine[Any, Any]) -> list[dict[str, str]]:
    """Return the rows of the machine in plain words."""
    return [
        {
            "when": row.when.name,
            "on": " | ".join(state.value for state in row.on),
            "at": "" if row.at is None else row.at.timer,
            "only if": "" if row.only_if is None else str(row.only_if),
            "then": row.then.value,
            "effect": "" if row.effect is None else (row.effect.__doc__ or row.effect.__name__).split("\n")[0],
            "source": row.source,
        }
        for row in machine.rows
    ]
