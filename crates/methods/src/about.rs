//! The description of a method: its name, parameters and constructor.

use crate::{Method, MethodSpec, SpecError, Statistics};
use std::sync::Arc;

/// A method's description.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Name, as in a [`MethodSpec`].
    pub name: &'static str,
    /// One line: the sketch of a document, and when two documents match.
    pub summary: &'static str,
    /// Paper and section.
    pub paper: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether it needs document frequencies.
    pub needs_statistics: NeedsStatistics,
    /// Constructor.
    pub build: Build,
}

/// Builds a method from its description and document frequencies, if given.
pub type Build = fn(&MethodSpec, Option<Arc<dyn Statistics>>) -> Result<Box<dyn Method>, SpecError>;

/// Whether a method needs document frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedsStatistics {
    /// No.
    Never,
    /// Yes, whatever its parameters.
    Always,
    /// Yes, unless a parameter has this value.
    Unless {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value with which none are needed; not its default.
        value: &'static str,
    },
}

impl NeedsStatistics {
    /// Whether the method needs them with its default parameters.
    #[must_use]
    pub fn by_default(self) -> bool {
        self != Self::Never
    }
}

/// A parameter of a method.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Default, as written in a description.
    pub default: &'static str,
    /// One line of help.
    pub help: &'static str,
}

impl About {
    /// Whether the method needs document frequencies with the parameters of `spec`.
    ///
    /// ```
    /// use lookalike_methods::methods;
    ///
    /// let simhash = methods().find(|about| about.name == "simhash").expect("is a method");
    /// assert!(simhash.needs_statistics(&"simhash:d=3".parse()?));
    /// assert!(!simhash.needs_statistics(&"simhash:weights=tf".parse()?));
    /// # Ok::<(), lookalike_methods::SpecError>(())
    /// ```
    #[must_use]
    pub fn needs_statistics(&self, spec: &MethodSpec) -> bool {
        match self.needs_statistics {
            NeedsStatistics::Never => false,
            NeedsStatistics::Always => true,
            NeedsStatistics::Unless { parameter, value } => spec.get(parameter) != Some(value),
        }
    }

    /// The names of its parameters.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<&'static str> {
        self.parameters.iter().map(|parameter| parameter.name).collect()
    }
}
