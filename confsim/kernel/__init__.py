"""The kernel: World, Table, Change, Timer, Machine, Refusal and ids. It imports no other package of confsim."""
