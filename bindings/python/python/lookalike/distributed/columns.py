"""Values of the ``kind`` and ``table`` columns of the rows that travel between steps, as the core defines them."""

#: Kinds of members.
DOCUMENT, UNIT = 1, 9

#: Kind of a message or an edge with what a task counted.
COUNTS = 99

#: Kinds of edges that are states of sets, as far as a run asks for them.
FLIPPED, OPEN, PENDING, NEW, REMOVED_NOW = -1, 0, 3, 5, 6

#: Tables of results.
LEDGER, PAIR, LEADER, MEMBER, KEPT_DOCUMENT, CLUSTER = 0, 1, 2, 3, 4, 5
