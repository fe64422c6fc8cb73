"""The kernel: World, Table, Index, Change, Timer, Machine, Refusal and ids. It imports no other package of confsim."""
