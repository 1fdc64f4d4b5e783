//! Records panics when they happen, and reports one only if the command ends because of it.
//!
//! The hook of the standard library would print every panic of every thread, including those that
//! the library catches and returns as errors.

use std::any::Any;
use std::panic::PanicHookInfo;
use std::sync::{Mutex, PoisonError};

/// Maximum number of recorded panics.
const REMEMBERED: usize = 64;

/// Messages with their source locations.
static PANICS: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Replaces the panic hook of the standard library.
pub(crate) fn remember_panics() {
    std::panic::set_hook(Box::new(remember));
}

fn remember(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let message = message(panic.payload()).to_owned();
    let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    if panics.len() < REMEMBERED {
        panics.push((message, place));
    }
}

/// The message of a panic.
pub(crate) fn message(payload: &(dyn Any + Send)) -> &str {
    let literal = payload.downcast_ref::<&str>().copied();
    let formatted = || payload.downcast_ref::<String>().map(String::as_str);
    literal.or_else(formatted).unwrap_or("a panic without a message")
}

/// The message for an error that was caused by a panic.
pub(crate) fn report(error: &str) -> String {
    let panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    // The error quotes the message.
    let place = panics.iter().find(|(message, _)| error.contains(message.as_str()));
    let place = place.map(|(_, place)| format!(" ({place})")).unwrap_or_default();
    format!(
        "{error}\nThis is a bug in lookalike {}{place}: please report it with the command line",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_once_with_its_place() {
        remember_panics();
        let panics = |message: String| {
            let caught = std::panic::catch_unwind(move || panic!("{message}"));
            super::message(caught.unwrap_err().as_ref()).to_owned()
        };
        let first = panics("the first fault".into());
        panics("another fault".into());
        let _ = std::panic::take_hook();
        let said = report(&format!("lookalike: internal error: {first}"));
        assert_eq!(said.matches("fault.rs:").count(), 1, "{said}");
        assert!(said.starts_with("lookalike: internal error: the first fault\n"), "{said}");
        assert!(said.contains("please report") && !said.contains("another"), "{said}");
    }

    #[test]
    fn any_payload_has_a_message() {
        assert_eq!(message(&"literal"), "literal");
        assert_eq!(message(&String::from("formatted")), "formatted");
        assert_eq!(message(&7u8), "a panic without a message");
    }
}
