"""Values of the ``kind`` and ``table`` columns of the rows that travel between steps, as the core defines them."""

#: Kinds of members.
DOCUMENT, UNIT = 1, 9

#: Kind of a message or an edge with what a task counted.
COUNTS = 99

#: Kinds of messages.
SKETCH = 6

#: Kinds of edges that are states of sets.
FLIPPED, OPEN, KEPT, REMOVED, PENDING, SELECTED, NEW, REMOVED_NOW = -1, 0, 1, 2, 3, 4, 5, 6

#: States that one set has, one row each.
STATES = (OPEN, KEPT, REMOVED, PENDING, SELECTED, NEW, REMOVED_NOW)

#: Tables of results.
LEDGER, PAIR, LEADER, MEMBER, KEPT_DOCUMENT, CLUSTER = 0, 1, 2, 3, 4, 5
