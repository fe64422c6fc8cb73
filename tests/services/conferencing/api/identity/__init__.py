"""Operations of Part 1: who there is, what they may do, and the clients they belong to."""
