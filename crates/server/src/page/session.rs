//! Sessions: cookies that stand for a token. Nothing is stored; a cookie has the time at which it
//! was made and a code of it, the token's digest and a secret of this process.

use crate::tokens::{Scope, Tokens};
use sha2::{Digest, Sha256};
use std::time::{SystemTime, UNIX_EPOCH};
use subtle::ConstantTimeEq;

/// The name of the cookie.
pub(super) const SESSION: &str = "lookalike-session";

/// Seconds for which a session lasts.
pub(super) const LASTS: u64 = 12 * 3600;

/// Makes and reads cookies.
pub(crate) struct Sessions {
    secret: [u8; 32],
}

impl Sessions {
    /// Sessions of this process.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub(crate) fn new() -> std::io::Result<Self> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(Self { secret })
    }

    /// The cookie for a token; `None` if it is not known.
    pub(super) fn begin(&self, tokens: &Tokens, token: &str) -> Option<String> {
        tokens.find(token)?;
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let now = now();
        Some(format!("{now}.{}", hex(&self.code(now, &digest))))
    }

    /// The name and scopes of the token that a cookie stands for.
    pub(super) fn find<'t>(
        &self,
        tokens: &'t Tokens,
        cookie: &str,
    ) -> Option<(&'t str, &'t [Scope])> {
        self.find_at(tokens, cookie, now())
    }

    fn find_at<'t>(
        &self,
        tokens: &'t Tokens,
        cookie: &str,
        now: u64,
    ) -> Option<(&'t str, &'t [Scope])> {
        let (made, code) = cookie.split_once('.')?;
        let made: u64 = made.parse().ok()?;
        if now.checked_sub(made)? > LASTS {
            return None;
        }
        tokens.with_digest(|digest| {
            bool::from(hex(&self.code(made, digest)).as_bytes().ct_eq(code.as_bytes()))
        })
    }

    /// Hashed twice, so that nothing can be appended to what is hashed.
    fn code(&self, made: u64, digest: &[u8; 32]) -> [u8; 32] {
        let hash = |parts: [&[u8]; 3]| -> [u8; 32] {
            let mut hash = Sha256::new();
            parts.iter().for_each(|part| hash.update(part));
            hash.finalize().into()
        };
        let inner = hash([&self.secret, &made.to_le_bytes(), digest]);
        hash([&self.secret, b"session", &inner])
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn tokens() -> Arc<Tokens> {
        let line = |token: &str, scopes: &str| {
            let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
            format!("{} {scopes} the {token}\n", hex(&digest))
        };
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), line("one", "read") + &line("two", "read,write")).unwrap();
        Tokens::read(file.path()).unwrap().get()
    }

    #[test]
    fn a_cookie_stands_for_its_token_in_this_process_and_for_a_while() {
        let (tokens, sessions) = (tokens(), Sessions::new().unwrap());
        assert!(sessions.begin(&tokens, "three").is_none());
        let cookie = sessions.begin(&tokens, "two").unwrap();
        let (name, scopes) = sessions.find(&tokens, &cookie).unwrap();
        assert_eq!((name, scopes), ("the two", &[Scope::Read, Scope::Write][..]));
        assert!(Sessions::new().unwrap().find(&tokens, &cookie).is_none());
        let made = now();
        assert!(sessions.find_at(&tokens, &cookie, made + LASTS + 9).is_none());
        let (time, code) = cookie.split_once('.').unwrap();
        let later = time.parse::<u64>().unwrap() + 1;
        for forged in [format!("{later}.{code}"), format!("{time}."), code.to_owned(), "x.y".into()]
        {
            assert!(sessions.find_at(&tokens, &forged, made + 2).is_none(), "{forged}");
        }
        assert!(!cookie.contains("two"));
    }
}
