//! Pairs of 64-bit words that differ in few bits: joins and queries.
