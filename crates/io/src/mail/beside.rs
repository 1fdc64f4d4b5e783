//! What of a message is compared beside its text: header fields, parts that are not read, attachments.
//!
//! *Identical* messages agree in all of it. The fields are those that the author writes and every
//! copy has ([`FIELDS`]): `Message-ID`, `Received`, `Return-Path`, `Delivered-To`, `List-*`,
//! `Reply-To`, `Sender`, `Bcc`, `X-*` and all others are of the transport, or differ between the copy
//! of the sender, that of a recipient and that of a mailing list.

use lookalike_core::TextDigest;

use super::parts::{Part, PartKind, Role};
use super::transfer::Transfer;

/// What of a message is compared beside its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Beside {
    /// A digest of header fields, parts that are not read, and attachments: equal in *identical*
    /// messages. `None` of what is no message.
    pub original: Option<u128>,
    /// A digest of the attachments in any order; `None` without any. Messages with different
    /// attachments do not match.
    pub attachments: Option<u64>,
}

impl Beside {
    /// The field of a record in which a stored document has it.
    pub const FIELD: &'static str = "lookalike:message";

    /// It as text; `None` of what is no message.
    #[must_use]
    pub fn written(&self) -> Option<String> {
        let original = self.original?;
        Some(match self.attachments {
            Some(attachments) => format!("{original:032x}{attachments:016x}"),
            None => format!("{original:032x}"),
        })
    }

    /// What [`Beside::written`] wrote.
    #[must_use]
    pub fn read(written: &str) -> Option<Self> {
        let original = u128::from_str_radix(written.get(..32)?, 16).ok()?;
        let rest = written.get(32..)?;
        let attachments = match rest {
            "" => None,
            rest => Some(u64::from_str_radix(rest, 16).ok()?),
        };
        Some(Self { original: Some(original), attachments })
    }
}

/// The digest of what [`super::compared::push_header`] appended of one header.
pub(super) fn header_digest(header: &[u8]) -> u128 {
    TextDigest::of_kind(2, header).0
}

/// The digest of the decoded content of a part. Line ends of text are LF, whatever the copy has.
pub(super) fn digest(part: &Part, encoded: &[u8], decoded: &mut Vec<u8>) -> u128 {
    decoded.clear();
    part.transfer.decode(encoded, decoded);
    let lines = part.kind.is_text() || part.transfer != Transfer::Base64;
    if lines && memchr::memchr(b'\r', decoded).is_some() {
        // Keep a CR that no LF follows.
        decoded.dedup_by(|next, kept| {
            let joined = *kept == b'\r' && *next == b'\n';
            if joined {
                *kept = b'\n';
            }
            joined
        });
    }
    let kind = match part.kind {
        PartKind::Html => 1,
        _ => 0,
    };
    TextDigest::of_kind(kind, decoded).0
}

/// Puts the digests of parts together: of alternatives in their order, of attachments in any.
pub(super) fn beside(mut header: Vec<u8>, mut digests: Vec<(Role, u128)>) -> Beside {
    digests.sort_by_key(|(role, digest)| match role {
        Role::Attachment => (1, *digest),
        _ => (0, 0),
    });
    let bytes = |role: Role| -> Vec<u8> {
        let of_role = digests.iter().filter(|(of, _)| *of == role);
        of_role.flat_map(|(_, digest)| digest.to_le_bytes()).collect()
    };
    let attachments = bytes(Role::Attachment);
    let found = TextDigest::of(&attachments).0;
    header.extend_from_slice(&bytes(Role::Alternative));
    header.push(0);
    header.extend_from_slice(&attachments);
    Beside {
        original: Some(TextDigest::of(&header).0),
        attachments: (!attachments.is_empty()).then_some((found >> 64) as u64 ^ found as u64),
    }
}
