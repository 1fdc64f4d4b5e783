//! The message that a mail server hands over, part by part.

use lookalike::filter::{NotJudged, is_mail_field};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The message that is being received.
#[derive(Default)]
pub(super) struct Message {
    /// The header, and the body behind an empty line.
    raw: Vec<u8>,
    /// Room for its bytes among those of all messages.
    room: Option<OwnedSemaphorePermit>,
    /// Why it is not kept.
    not_kept: Option<NotJudged>,
    /// Fields that have the name of ours already.
    forged: u32,
    has_begun: bool,
}

impl Message {
    /// Whether a part of it has arrived.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Its sender is known: it will come.
    pub(super) fn begin(&mut self) {
        self.has_begun = true;
    }

    /// Whether its bytes are kept; the rest of one that is too long need not be sent.
    pub(super) fn is_kept(&self) -> bool {
        self.not_kept.is_none()
    }

    /// How many of its fields have the name of ours.
    pub(super) fn forged(&self) -> u32 {
        self.forged
    }

    /// A field of the header.
    pub(super) fn field(&mut self, name: &[u8], value: &[u8], ours: &str, room: &Room) {
        self.forged += u32::from(is_mail_field(name, ours));
        self.append(&[name, b": ", value, b"\r\n"], room);
    }

    /// The end of the header.
    pub(super) fn end_of_header(&mut self, room: &Room) {
        self.append(&[b"\r\n"], room);
    }

    /// A part of the body.
    pub(super) fn body(&mut self, part: &[u8], room: &Room) {
        self.append(&[part], room);
    }

    fn append(&mut self, parts: &[&[u8]], room: &Room) {
        self.has_begun = true;
        if self.not_kept.is_some() {
            return;
        }
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let needed = self.raw.len() + length;
        let reason = match needed > room.most {
            true => Some(NotJudged::TooLong),
            false => (!room.take(&mut self.room, needed)).then_some(NotJudged::Busy),
        };
        if reason.is_some() {
            (self.raw, self.room, self.not_kept) = (Vec::new(), None, reason);
            return;
        }
        parts.iter().for_each(|part| self.raw.extend_from_slice(part));
    }

    /// Its bytes, with the room that they take.
    ///
    /// # Errors
    /// Why it was not kept.
    pub(super) fn into_raw(self) -> Result<(Vec<u8>, Option<OwnedSemaphorePermit>), NotJudged> {
        self.not_kept.map_or(Ok((self.raw, self.room)), Err)
    }
}

/// Room for the messages that are being received.
pub(super) struct Room {
    /// Bytes of a message.
    most: usize,
    /// A permit for each KiB of all.
    free: Arc<Semaphore>,
}

impl Room {
    pub(super) fn new(message: usize, messages: usize) -> Self {
        let permits = (messages / 1024).clamp(1, u32::MAX as usize >> 1);
        Self { most: message, free: Arc::new(Semaphore::new(permits)) }
    }

    /// Extends the room that a message has to this number of bytes; `false` if there is not enough.
    fn take(&self, held: &mut Option<OwnedSemaphorePermit>, bytes: usize) -> bool {
        let wanted = bytes.div_ceil(1024);
        let more =
            wanted.saturating_sub(held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits));
        if more == 0 {
            return true;
        }
        let Ok(taken) = Arc::clone(&self.free).try_acquire_many_owned(more as u32) else {
            return false;
        };
        match held {
            Some(held) => held.merge(taken),
            None => *held = Some(taken),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_put_together() {
        let (mut message, room) = (Message::default(), Room::new(1000, 10_000));
        assert!(!message.has_begun());
        for (name, value) in [("Subject", "a\n b"), ("x-lookalike", "ham"), ("X-Lookalike-Not", "")]
        {
            message.field(name.as_bytes(), value.as_bytes(), "X-Lookalike", &room);
        }
        message.end_of_header(&room);
        message.body(b"one", &room);
        message.body(b"two\r\n", &room);
        assert!(message.has_begun() && message.is_kept());
        assert_eq!(message.forged(), 1);
        let raw = "Subject: a\n b\r\nx-lookalike: ham\r\nX-Lookalike-Not: \r\n\r\nonetwo\r\n";
        assert_eq!(message.into_raw().unwrap().0, raw.as_bytes());
    }

    #[test]
    fn what_is_too_long_or_too_much_is_not_kept() {
        let room = Room::new(4000, 6000);
        let (mut long, mut first, mut second) =
            (Message::default(), Message::default(), Message::default());
        long.body(&[b'a'; 4000], &room);
        assert!(long.is_kept());
        long.body(b"a", &room);
        assert_eq!(long.into_raw().unwrap_err(), NotJudged::TooLong);
        first.body(&[b'a'; 3000], &room);
        second.body(&[b'a'; 3000], &room);
        assert!(first.is_kept());
        assert_eq!(second.into_raw().unwrap_err(), NotJudged::Busy);
        drop(first);
        let mut third = Message::default();
        third.body(&[b'a'; 3000], &room);
        assert!(third.is_kept());
    }
}
