//! Calls of the Parquet library on bytes that may be damaged.
//!
//! Parts of its decoder index and slice by lengths that they have read, and panic if those are
//! wrong. Such a panic must not end the run: it becomes an error of that file.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether this thread is inside [`guarded`].
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Installs a panic hook that ignores panics of decoders on damaged files, which are returned as
/// errors anyway, and calls the hook of before for all others.
///
/// The panic hook belongs to the process, so nothing else in this library replaces it: this is for
/// the main function of a program. Without it, the process's own hook runs for such a panic (that
/// of the standard library prints it); the errors are the same. Later calls do nothing.
pub fn quiet_decoder_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                print(info);
            }
        }));
    });
}

/// Runs the decoder; a panic becomes an error. The state that a panicking decoder leaves is invalid
/// and must be dropped.
pub(crate) fn guarded<T, E: Display>(decode: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(outer);
    match result {
        Ok(result) => result.map_err(|e| e.to_string()),
        Err(_) => Err("the decoder failed on it".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_is_an_error_and_the_next_call_is_as_any() {
        let failed = guarded(|| -> Result<u8, String> { panic!("index out of range") });
        assert_eq!(failed, Err("the decoder failed on it".to_string()));
        assert_eq!(guarded(|| Ok::<_, String>(5)), Ok(5));
        assert_eq!(guarded(|| Err::<u8, _>("why")), Err("why".to_string()));
    }
}
