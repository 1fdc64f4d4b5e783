//! lookalike
