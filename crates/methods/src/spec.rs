//! Method specifications as text: `name:parameter=value,…`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A method and its parameters, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodSpec {
    /// Name of the method.
    pub name: String,
    params: BTreeMap<String, String>,
}

/// Why a method's description is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Not `name:parameter=value,…`.
    #[error("{0:?} is not of the form NAME:PARAMETER=VALUE,PARAMETER=VALUE")]
    Malformed(String),
    /// No method of that name.
    #[error("there is no method {name:?}; there are {known}")]
    UnknownMethod {
        /// The name given.
        name: String,
        /// The existing names.
        known: String,
    },
    /// A parameter the method does not have.
    #[error("{method} has no parameter {parameter:?}; it has {known}")]
    UnknownParameter {
        /// The method.
        method: String,
        /// The parameter given.
        parameter: String,
        /// The parameters it has.
        known: String,
    },
    /// A value that does not fit.
    #[error("{method}: {parameter}={value}: {expected}")]
    BadValue {
        /// The method.
        method: String,
        /// The parameter.
        parameter: String,
        /// The value given.
        value: String,
        /// What is expected.
        expected: String,
    },
    /// The method needs document frequencies and none were given.
    #[error("{0} needs document frequencies: give it a lexicon with the setting lexicon")]
    StatisticsMissing(String),
}

impl FromStr for MethodSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let malformed = || SpecError::Malformed(text.to_owned());
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() {
            return Err(malformed());
        }
        let mut params = BTreeMap::new();
        for part in rest.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(malformed)?;
            if params.insert(key.trim().to_owned(), value.trim().to_owned()).is_some() {
                return Err(malformed());
            }
        }
        Ok(Self { name: name.trim().to_owned(), params })
    }
}

impl fmt::Display for MethodSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (key, value)) in self.params.iter().enumerate() {
            write!(f, "{}{key}={value}", if index == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl MethodSpec {
    /// The value given for a parameter, if any.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.params.get(name).map(String::as_str)
    }

    /// Sets the value of a parameter.
    pub fn set(&mut self, name: &str, value: &str) {
        self.params.insert(name.to_owned(), value.to_owned());
    }

    /// A reader of the parameters. `known` are the method's own.
    ///
    /// # Errors
    /// A parameter that the method does not have.
    pub fn params<'a>(&'a self, known: &[&str]) -> Result<Params<'a>, SpecError> {
        match self.params.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(Params { spec: self }),
            Some(parameter) => Err(SpecError::UnknownParameter {
                method: self.name.clone(),
                parameter: parameter.clone(),
                known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
            }),
        }
    }
}

/// Typed access to the parameters of a method.
#[derive(Debug, Clone, Copy)]
pub struct Params<'a> {
    spec: &'a MethodSpec,
}

impl Params<'_> {
    /// The text of a parameter, if given.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.spec.params.get(name).map(String::as_str)
    }

    /// A parameter's value, or the default.
    ///
    /// # Errors
    /// The text is not a value of the type.
    pub fn get<T: FromStr>(&self, name: &str, default: T, expected: &str) -> Result<T, SpecError> {
        match self.text(name) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| self.bad(name, expected)),
        }
    }

    /// A parameter's value, checked.
    ///
    /// # Errors
    /// The text is not a value of the type, or the value is not `fits`.
    pub fn checked<T: FromStr>(
        &self,
        name: &str,
        default: T,
        expected: &str,
        fits: impl Fn(&T) -> bool,
    ) -> Result<T, SpecError> {
        let value = self.get(name, default, expected)?;
        if fits(&value) { Ok(value) } else { Err(self.bad(name, expected)) }
    }

    /// The error for a value that does not fit.
    #[must_use]
    pub fn bad(&self, name: &str, expected: &str) -> SpecError {
        SpecError::BadValue {
            method: self.spec.name.clone(),
            parameter: name.to_owned(),
            value: self.text(name).unwrap_or("(not given)").to_owned(),
            expected: expected.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let spec: MethodSpec = "dsc:w=10,m=25".parse().unwrap();
        assert_eq!(spec.to_string(), "dsc:m=25,w=10");
        let params = spec.params(&["m", "w", "t"]).unwrap();
        assert_eq!(params.get("m", 1u64, "a number").unwrap(), 25);
        assert_eq!(params.get("t", 0.5, "a number").unwrap(), 0.5);
        assert!(spec.params(&["m"]).unwrap_err().to_string().contains("no parameter \"w\""));
        assert_eq!("imatch".parse::<MethodSpec>().unwrap().to_string(), "imatch");
    }

    #[test]
    fn nonsense_is_named() {
        for text in ["", ":m=2", "dsc:m", "dsc:m=1,m=2"] {
            assert!(text.parse::<MethodSpec>().is_err(), "{text}");
        }
        let spec: MethodSpec = "dsc:m=many".parse().unwrap();
        let error = spec.params(&["m"]).unwrap().get("m", 1u64, "a whole number").unwrap_err();
        assert_eq!(error.to_string(), "dsc: m=many: a whole number");
        let spec: MethodSpec = "dsc".parse().unwrap();
        let error = spec.params(&["m"]).unwrap().bad("m", "a whole number");
        assert_eq!(error.to_string(), "dsc: m=(not given): a whole number");
    }
}
