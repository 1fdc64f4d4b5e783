//! Bearer tokens and what they allow.

use crate::watched::{UnreadableFile, Watched};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq;

/// What a token allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Questions.
    Read,
    /// Adding, replacing and deleting documents.
    Write,
    /// Reports about messages.
    Report,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Report];

    /// Its name in a file of tokens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Report => "report",
        }
    }
}

/// The tokens of a service: a line `SHA-256 SCOPES NAME` for each, the digest in hexadecimal
/// digits and the scopes separated by commas. Empty lines and lines that begin with `#` are
/// skipped. The tokens themselves are in no file.
#[derive(Debug)]
pub struct Tokens(Vec<Token>);

#[derive(Debug)]
struct Token {
    digest: [u8; 32],
    scopes: Vec<Scope>,
    name: String,
}

/// Why a file of tokens cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokensError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] UnreadableFile),
    /// A line that is none of a token.
    #[error("{}:{line}: {reason}; a line is `SHA-256 SCOPES NAME`, for example `$(printf %s \"$TOKEN\" | sha256sum | cut -c-64) read,write loader`", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// No token.
    #[error("{}: there is no token in it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

impl Tokens {
    /// Reads a file of tokens, which may change while the service runs.
    ///
    /// # Errors
    /// A file that cannot be read; a line that is none of a token; no line at all.
    pub(crate) fn read(path: &Path) -> Result<Watched<Self, TokensError>, TokensError> {
        let owned = path.to_owned();
        let parse =
            move |bytes: &[Vec<u8>]| Self::parse(&owned, &String::from_utf8_lossy(&bytes[0]));
        Watched::read(vec![path.to_owned()], Box::new(parse))
    }

    fn parse(path: &Path, text: &str) -> Result<Self, TokensError> {
        let owned = || path.to_owned();
        let mut tokens = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let token = Token::parse(line);
            let wrong = |reason| TokensError::Line { path: owned(), line: number, reason };
            tokens.push(token.map_err(wrong)?);
        }
        if tokens.is_empty() {
            return Err(TokensError::Empty { path: owned() });
        }
        Ok(Self(tokens))
    }

    /// The name and scopes of a token. Takes the same time whatever the token is.
    pub(crate) fn find(&self, token: &str) -> Option<(&str, &[Scope])> {
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        self.with_digest(|known| bool::from(known.ct_eq(&digest)))
    }

    /// The name and scopes of the token whose digest is the wanted one. All are looked at.
    pub(crate) fn with_digest(
        &self,
        is_wanted: impl Fn(&[u8; 32]) -> bool,
    ) -> Option<(&str, &[Scope])> {
        let mut found = None;
        for known in &self.0 {
            if is_wanted(&known.digest) {
                found = Some((&*known.name, &*known.scopes));
            }
        }
        found
    }
}

impl Token {
    fn parse(line: &str) -> Result<Self, String> {
        let mut parts = line.splitn(3, char::is_whitespace).map(str::trim);
        let (Some(hex), Some(scopes), Some(name)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err("it has no three parts".to_owned());
        };
        let mut digest = [0; 32];
        if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err("the first part is not 64 hexadecimal digits".to_owned());
        }
        for (byte, at) in digest.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(&hex[at..at + 2], 16).map_err(|error| error.to_string())?;
        }
        let scope = |name: &str| {
            let known = Scope::ALL.into_iter().find(|scope| scope.name() == name);
            known.ok_or_else(|| format!("`{name}` is no scope: they are read, write and report"))
        };
        let scopes = scopes.split(',').map(scope).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { digest, scopes, name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Tokens, TokensError> {
        Tokens::parse(Path::new("tokens.txt"), text)
    }

    /// `printf %s secret | sha256sum`
    const SECRET: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

    #[test]
    fn tokens_are_found_by_their_digests() {
        let tokens = read(&format!("# loaders\n\n{SECRET} read,write the loader\n")).unwrap();
        let (name, scopes) = tokens.find("secret").unwrap();
        assert_eq!((name, scopes), ("the loader", &[Scope::Read, Scope::Write][..]));
        assert!(tokens.find("Secret").is_none() && tokens.find("").is_none());
        assert!(tokens.find(SECRET).is_none(), "the digest itself is no token");
    }

    #[test]
    fn lines_that_are_no_tokens_are_named() {
        for (text, reason) in [
            ("", "there is no token in it"),
            ("secret read me", ":1: the first part is not 64"),
            (&format!("#\n{SECRET} all me"), ":2: `all` is no scope"),
            (&format!("{SECRET} read"), ":1: it has no three parts"),
            (&format!("{SECRET}  me"), ":1: `` is no scope"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
