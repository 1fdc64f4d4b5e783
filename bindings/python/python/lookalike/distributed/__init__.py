"""The join over several processes or machines: engines move rows, :mod:`lookalike` decides.

A run is the same series of steps on every engine (:mod:`lookalike.distributed.run`). A step is a function of the rows of
one task, in Rust; between steps the engine brings rows with the same key to one task. What an engine has to be able to do
is :class:`lookalike.distributed.engine.Engine`; there is one for Spark (:mod:`lookalike.spark`), and one over files, whose
tasks run on Ray, Dask and Daft (:mod:`lookalike.distributed.doors`) or in local processes
(:class:`lookalike.distributed.processes.Processes`). The answer is that of :func:`lookalike.dedup` on one machine, byte for
byte.

Needs pyarrow.
"""
