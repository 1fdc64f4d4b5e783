//! A connection of a mail server: which answer each packet has.

use super::judge::{Judge, Judged};
use super::listener::Connection;
use super::message::{Message, Room};
use super::options::{MilterLimits, SpamAction};
use super::packet::{Packet, append, next};
use std::io;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::sync::watch;

/// The version of the protocol that is spoken at most.
const VERSION: u32 = 6;

/// Actions: adding, changing and removing header fields; quarantine.
const ADD_FIELDS: u32 = 0x01;
const CHANGE_FIELDS: u32 = 0x10;
const QUARANTINE: u32 = 0x20;

/// A step: the rest of a body may be left out.
const SKIP: u32 = 0x400;

/// Answers.
const CONTINUE: u8 = b'c';
const SKIP_BODY: u8 = b's';
const INSERT_FIELD: u8 = b'i';
const CHANGE_FIELD: u8 = b'm';
const PUT_ON_HOLD: u8 = b'q';
const REPLY: u8 = b'y';

/// What the sender of a message that is rejected reads.
const REJECTED: &[u8] = b"550 5.7.1 This message matches mail that was reported as spam\0";

/// What all connections share.
pub(super) struct Milter {
    pub(super) judge: Judge,
    pub(super) room: Room,
    /// Name of the header field.
    pub(super) header: String,
    pub(super) limits: MilterLimits,
}

/// A connection.
struct Session<'a> {
    milter: &'a Milter,
    /// Whether the options were negotiated, and whether the rest of a body may be left out.
    negotiated: Option<bool>,
    message: Message,
}

/// Answers the packets of a connection, until the other side ends it or `stopping` says so between
/// two messages.
///
/// # Errors
/// A connection that breaks, packets that are none: it is closed then, and the mail server does what
/// it was told to do without a milter.
pub(super) async fn answer_all(
    milter: &Milter,
    connection: Box<dyn Connection>,
    mut stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut connection = BufReader::new(connection);
    let mut session = Session { milter, negotiated: None, message: Message::default() };
    loop {
        let packet = tokio::select! {
            packet = next(&mut connection, &milter.limits) => packet?,
            _ = stopping.wait_for(|stopping| *stopping), if !session.message.has_begun() => None,
        };
        let Some(packet) = packet else { return Ok(()) };
        let Some(answer) = session.answer(packet).await? else { return Ok(()) };
        if !answer.is_empty() {
            let sent = async {
                connection.get_mut().write_all(&answer).await?;
                connection.get_mut().flush().await
            };
            tokio::time::timeout(milter.limits.packet, sent).await??;
        }
    }
}

impl Session<'_> {
    /// The answer to a packet, which is empty for some; `None` ends the connection.
    ///
    /// # Errors
    /// A packet that is none.
    async fn answer(&mut self, packet: Packet) -> io::Result<Option<Vec<u8>>> {
        let Packet { command, data } = packet;
        if self.negotiated.is_none() && !matches!(command, b'O' | b'Q') {
            return Err(malformed("a packet before the options"));
        }
        let (room, mut out) = (&self.milter.room, Vec::new());
        match command {
            b'O' => out = self.negotiate(&data)?,
            // Macros, the end of a message without verdict, another message or connection.
            b'D' => {}
            b'A' | b'K' => self.message = Message::default(),
            b'Q' => return Ok(None),
            // The client, its name, recipients, the command DATA, an unknown command.
            b'C' | b'H' | b'R' | b'T' | b'U' => append(&mut out, CONTINUE, &[]),
            b'M' => {
                self.message = Message::default();
                self.message.begin();
                append(&mut out, CONTINUE, &[]);
            }
            b'L' => {
                let (name, value) = field(&data).ok_or_else(|| malformed("a header field"))?;
                self.message.field(name, value, &self.milter.header, room);
                append(&mut out, CONTINUE, &[]);
            }
            b'N' => {
                self.message.end_of_header(room);
                append(&mut out, CONTINUE, &[]);
            }
            b'B' => {
                self.message.body(&data, room);
                let may_skip = self.negotiated == Some(true) && !self.message.is_kept();
                append(&mut out, if may_skip { SKIP_BODY } else { CONTINUE }, &[]);
            }
            b'E' => {
                self.message.body(&data, room);
                out = self.end_of_message().await;
            }
            _ => return Err(malformed("an unknown command")),
        }
        Ok(Some(out))
    }

    /// What is wanted of what the mail server offers.
    fn negotiate(&mut self, data: &[u8]) -> io::Result<Vec<u8>> {
        let number = |at: usize| {
            let bytes = data.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u32::from_be_bytes).ok_or_else(|| malformed("options"))
        };
        let (version, actions, steps) = (number(0)?, number(4)?, number(8)?);
        let mut wanted = ADD_FIELDS | CHANGE_FIELDS;
        if self.milter.judge.on_spam == SpamAction::Quarantine {
            wanted |= QUARANTINE;
        }
        if wanted & !actions != 0 {
            return Err(malformed("a mail server that does not let header fields be changed"));
        }
        self.negotiated = Some(steps & SKIP != 0);
        let mut out = Vec::new();
        let answer = [version.min(VERSION), wanted, steps & SKIP].map(u32::to_be_bytes);
        append(&mut out, b'O', &[answer.as_flattened()]);
        Ok(out)
    }

    /// The verdict: what is done to the message.
    async fn end_of_message(&mut self) -> Vec<u8> {
        let message = std::mem::take(&mut self.message);
        let forged = message.forged();
        let Judged { field, action } = self.milter.judge.judge(message.into_raw()).await;
        let (name, mut out) = (self.milter.header.as_bytes(), Vec::new());
        if action == SpamAction::Reject {
            append(&mut out, REPLY, &[REJECTED]);
            return out;
        }
        // From the last, so that the numbers of those before it stay what they are.
        for number in (1..=forged).rev() {
            append(&mut out, CHANGE_FIELD, &[&number.to_be_bytes(), name, b"\0\0"]);
        }
        append(&mut out, INSERT_FIELD, &[&[0; 4], name, b"\0", field.as_bytes(), b"\0"]);
        if action == SpamAction::Quarantine {
            append(&mut out, PUT_ON_HOLD, &[name, b": ", field.as_bytes(), b"\0"]);
        }
        append(&mut out, CONTINUE, &[]);
        out
    }
}

/// Name and value of a header field, each with a zero behind it.
fn field(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(0, data)?;
    let value = data[end + 1..].strip_suffix(b"\0")?;
    (end > 0).then_some((&data[..end], value))
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
