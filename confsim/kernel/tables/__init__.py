"""Tables of records over persistent sorted sequences: indexes, orders, totals and views."""
