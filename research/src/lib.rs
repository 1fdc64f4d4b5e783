//! What several programs of this workspace use.

pub mod splice;
