//! What of a message is compared beside its text: header fields, parts that are not read, attachments.
//!
//! *Identical* messages agree in all of it. The fields are those that the author writes and every
//! copy has ([`FIELDS`]): `Message-ID`, `Received`, `Return-Path`, `Delivered-To`, `List-*`,
//! `Reply-To`, `Sender`, `Bcc`, `X-*` and all others are of the transport, or differ between the copy
//! of the sender, that of a recipient and that of a mailing list.

use crate::Beside;
use lookalike_core::TextDigest;

use super::parts::{Part, PartKind, Role};
use super::transfer::Transfer;

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
        distinct: None,
        across: None,
    }
}
