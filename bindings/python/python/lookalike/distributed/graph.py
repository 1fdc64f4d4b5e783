"""Matches to components, and to the sets that are removed."""

from __future__ import annotations

from lookalike.distributed.engine import Engine, Rows
from lookalike.distributed.task import Context


def components(engine: Engine[Rows], context: Context, name: str, edges: Rows, one_task: int) -> Rows:
    """Links of each set to the first set of its component, if that is another one.

    Forests of the edges of each task, in one task if they fit; else operations on stars (Kiveris et al. 2014).
    """
    links = engine.store(f"{name}-forest", engine.map(edges, context.task("forest", whole=False)))
    if engine.number(links) <= one_task:
        whole = context.task("forest", whole=True)
        return engine.store(f"{name}-components", engine.exchange([links], "component", ["component"], whole, 1))
    order = ["later", "earlier"]
    for turn in range(1, 100):
        both = engine.map(links, context.task("both_ways"))
        large = engine.store(
            f"{name}-large-{turn}", engine.exchange([both], "later", order, context.task("large_star"))
        )
        links = engine.store(
            f"{name}-small-{turn}", engine.exchange([large], "later", order, context.task("small_star"))
        )
        # When nothing changes, each set has one link, to a set that has none: these are the components.
        if engine.total(large, "shared") + engine.total(links, "shared") == 0:
            return links
    raise RuntimeError("connected components did not end after 100 rounds; this is a bug")


def leaders(
    engine: Engine[Rows], context: Context, name: str, edges: Rows, one_task: int, candidates: int
) -> Rows:
    """Which sets are removed, and their witnesses, from all matches: one pass over each component.

    Parameters
    ----------
    candidates
        Number of candidate pairs: there are no more matches.
    """
    order = ["component", "later", "earlier"]
    task = context.task("leaders")
    if candidates > one_task:
        edges = engine.store(f"{name}-matches", edges)
        candidates = engine.number(edges)
    if candidates <= one_task:
        return engine.store(name, engine.exchange([edges], "component", order, task, 1))
    links = components(engine, context, name, edges, one_task)
    labelled = engine.exchange([links, edges], "later", ["later", "kind"], context.task("label"))
    return engine.store(name, engine.exchange([labelled], "component", order, task))
