//! Connected components, and the rules of precedence within a cluster.
//!
//! [`Components`] is Broder's fourth phase (1997, "The clustering algorithm"), [`KeepRule`]
//! the choice of a cluster's *master* document (Seshasai 2009, section 2.6.2).
//!
//! ```
//! use lookalike_cluster::Components;
//!
//! let mut components = Components::new(5);
//! components.join(3, 1);
//! components.join(4, 3);
//! assert!(components.connected(1, 4));
//! assert_eq!(components.labels(), [0, 1, 2, 1, 1]);
//! ```

mod components;
mod keep;
mod preference;
mod rules;

pub use components::Components;
pub use keep::{KeepRule, KeepRuleError, keep_rules};
pub use rules::{Argument, Attributes, KEEP_RULES, KeepItem, Needs, list_keep_rules};
