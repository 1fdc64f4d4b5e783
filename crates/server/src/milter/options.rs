//! What a milter is started with.

use super::socket::MilterSocket;
use crate::mail::MAIL_DEADLINE;
use lookalike::filter::MAIL_FIELD;
use std::path::PathBuf;
use std::time::Duration;

/// What a milter is started with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MilterOptions {
    /// The directory of the prototypes, which other processes may write at the same time.
    pub index: PathBuf,
    /// Where it listens.
    pub listen: MilterSocket,
    /// Whether other machines may reach it: the protocol has neither passwords nor encryption.
    pub allow_remote: bool,
    /// What happens to spam beside its header field.
    pub on_spam: SpamAction,
    /// Name of the header field.
    pub header: String,
    /// Verdicts that are made at the same time; 0 for one on each core.
    pub threads: usize,
    /// Limits of what a mail server may ask for.
    pub limits: MilterLimits,
}

impl MilterOptions {
    /// A milter that writes header fields only.
    pub fn new(index: impl Into<PathBuf>, listen: MilterSocket) -> Self {
        Self {
            index: index.into(),
            listen,
            allow_remote: false,
            on_spam: SpamAction::Mark,
            header: MAIL_FIELD.to_owned(),
            threads: 0,
            limits: MilterLimits::default(),
        }
    }
}

/// What happens to a message that is called spam. All others are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SpamAction {
    /// It is accepted, with the header field.
    #[default]
    Mark,
    /// It is put on hold in the queue of the mail server.
    Quarantine,
    /// It is refused.
    Reject,
}

/// Limits of what mail servers may ask for, and of what they may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MilterLimits {
    /// Bytes of a message; a longer one has no verdict.
    pub message: usize,
    /// Bytes of all messages that are being received; with more, a message has no verdict.
    pub messages: usize,
    /// Connections; the next is closed.
    pub connections: usize,
    /// Time for a verdict, after which the message is accepted without.
    pub deadline: Duration,
    /// How long a connection may be idle between packets: as libmilter, longer than the time that a
    /// mail server gives the other side of its own connection.
    pub idle: Duration,
    /// Time for a packet that has begun, and for the mail server to take an answer.
    pub packet: Duration,
    /// Time for the messages that are being received when the milter is stopped.
    pub stop: Duration,
}

impl Default for MilterLimits {
    fn default() -> Self {
        Self {
            message: 8 << 20,
            messages: 256 << 20,
            connections: 256,
            deadline: MAIL_DEADLINE,
            idle: Duration::from_secs(7210),
            packet: Duration::from_secs(10),
            stop: Duration::from_secs(10),
        }
    }
}
