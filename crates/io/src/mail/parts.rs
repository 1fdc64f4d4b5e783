//! Structure of a message: finds the parts whose text is read (RFC 2046).

use std::ops::Range;

use super::fields::{Fields, content_type};
use super::limits::{MailError, MailLimits};
use super::transfer::Transfer;

/// A part whose text is read.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) kind: PartKind,
    /// The encoded text.
    pub(super) body: Range<usize>,
    pub(super) transfer: Transfer,
    pub(super) charset: Option<String>,
}

/// Kind of a text part; of alternatives the greater kind is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PartKind {
    OtherText,
    Html,
    Plain,
}

/// A multipart or embedded message that contains the part being read.
#[derive(Debug)]
struct Container {
    /// `None` of an embedded message.
    boundary: Option<Vec<u8>>,
    /// Parts are embedded messages unless they say otherwise (`multipart/digest`).
    digest: bool,
    /// Of `multipart/alternative`.
    choice: Option<Choice>,
    /// All of its body as plain text, until a boundary line is found.
    whole: Option<Part>,
}

/// The choice among the parts of `multipart/alternative`.
#[derive(Debug)]
struct Choice {
    /// The first part chosen.
    start: usize,
    /// The parts from here on belong to the alternative being read.
    candidate: usize,
    /// The best kind of those before.
    best: Option<PartKind>,
}

impl Choice {
    /// Decides about the alternative that ended: it replaces those before if it is better. One
    /// whose parts are all blank is never chosen.
    fn settle(&mut self, raw: &[u8], parts: &mut Vec<Part>) {
        let blank = |part: &&Part| raw[part.body.clone()].trim_ascii().is_empty();
        let filled = parts[self.candidate..].iter().filter(|part| !blank(part));
        let kind = filled.map(|part| part.kind).max();
        if kind > self.best {
            parts.drain(self.start..self.candidate);
            self.best = kind;
        } else {
            parts.truncate(self.candidate);
        }
        self.candidate = parts.len();
    }
}

/// A boundary line.
struct Delimiter {
    /// Where the part before it ends: before the line end that belongs to the line.
    before: usize,
    /// Where the next line starts.
    after: usize,
    /// Index of its container.
    container: usize,
    /// Whether it closes the container.
    closes: bool,
}

/// Finds the parts of a message. Linear in the length of the message.
#[derive(Debug, Default)]
pub(super) struct Structure {
    fields: Fields,
    open: Vec<Container>,
    pub(super) parts: Vec<Part>,
}

impl Structure {
    /// Finds the parts of the message whose header was split already and whose body starts at
    /// `body`.
    pub(super) fn find(
        &mut self,
        raw: &[u8],
        header: &Fields,
        body: usize,
        limits: &MailLimits,
    ) -> Result<(), MailError> {
        self.open.clear();
        self.parts.clear();
        let mut at = self.entity(raw, Some(header), body, limits)?;
        let mut count = 1;
        // What precedes a boundary line is the body of a leaf, or comes before the first part or
        // after the last one of a container.
        while let Some(delimiter) = self.delimiter(raw, at) {
            self.end_part(raw, &delimiter);
            at = delimiter.after;
            if delimiter.closes {
                continue;
            }
            count += 1;
            if count > limits.parts {
                return Err(MailError::TooManyParts(limits.parts));
            }
            let body = self.fields.split(raw, at)?;
            at = self.entity(raw, None, body, limits)?;
        }
        while !self.open.is_empty() {
            self.close(raw, raw.len());
        }
        Ok(())
    }

    /// Enters an entity with this header (`None`: that in `self.fields`): opens containers until
    /// the first part or adds a leaf. Returns where to look for the next boundary line.
    fn entity(
        &mut self,
        raw: &[u8],
        header: Option<&Fields>,
        mut body: usize,
        limits: &MailLimits,
    ) -> Result<usize, MailError> {
        let mut header = header;
        loop {
            let fields = header.take().unwrap_or(&self.fields);
            let field = |name: &str| fields.raw(raw, name);
            let kind = field("content-type").and_then(content_type);
            let attached = field("content-disposition").is_some_and(|value| {
                let value = value.trim_ascii();
                value.get(..10).is_some_and(|word| word.eq_ignore_ascii_case(b"attachment"))
            });
            let transfer = Transfer::of(field("content-transfer-encoding"));
            let digest = self.open.last().is_some_and(|container| container.digest);
            let (main, sub) = match kind.as_ref().map(|kind| (&kind.c_type, &kind.c_subtype)) {
                Some((main, Some(sub))) => (main.as_ref(), sub.as_ref()),
                None if digest => ("message", "rfc822"),
                // What is not a media type is plain text (RFC 2045, section 5.2).
                _ => ("text", "plain"),
            };
            let parameter = |name: &str| kind.as_ref().and_then(|kind| kind.attribute(name));
            let leaf = |kind, charset: Option<&str>| {
                let charset = charset.map(str::to_owned);
                let part = Part { kind, body: body..raw.len(), transfer, charset };
                (!attached).then_some(part)
            };
            let container = match (main, sub) {
                ("multipart", sub) => {
                    let boundary = parameter("boundary").map_or("", str::trim_end);
                    let whole = leaf(PartKind::Plain, None);
                    if boundary.is_empty() {
                        self.parts.extend(whole);
                        return Ok(body);
                    }
                    let start = self.parts.len();
                    let choice = Choice { start, candidate: start, best: None };
                    Container {
                        boundary: Some(boundary.as_bytes().to_vec()),
                        digest: sub == "digest",
                        choice: (sub == "alternative").then_some(choice),
                        whole,
                    }
                }
                ("message", "rfc822" | "global" | "news")
                    if !attached && transfer == Transfer::Identity =>
                {
                    Container { boundary: None, digest: false, choice: None, whole: None }
                }
                ("text", sub) => {
                    let kind = match sub {
                        "plain" => PartKind::Plain,
                        "html" => PartKind::Html,
                        _ => PartKind::OtherText,
                    };
                    self.parts.extend(leaf(kind, parameter("charset")));
                    return Ok(body);
                }
                ("application", "xhtml+xml") => {
                    self.parts.extend(leaf(PartKind::Html, parameter("charset")));
                    return Ok(body);
                }
                _ => return Ok(body),
            };
            if self.open.len() == limits.depth {
                return Err(MailError::TooDeep(limits.depth));
            }
            let embedded = container.boundary.is_none();
            self.open.push(container);
            if !embedded {
                return Ok(body);
            }
            body = self.fields.split(raw, body)?;
        }
    }

    /// The next boundary line of an open container, in lines that start at `from` or later.
    fn delimiter(&self, raw: &[u8], from: usize) -> Option<Delimiter> {
        if self.open.iter().all(|container| container.boundary.is_none()) {
            return None;
        }
        let first = raw[from..].starts_with(b"--").then_some(from);
        let later = memchr::memmem::find_iter(&raw[from..], b"\n--").map(|at| from + at + 1);
        first.into_iter().chain(later).find_map(|line| {
            let end = memchr::memchr(b'\n', &raw[line..]).map_or(raw.len(), |at| line + at + 1);
            let content = raw[line + 2..end].trim_ascii_end();
            // The innermost container first: of a boundary that begins another, both are equal.
            let (container, closes) =
                self.open.iter().enumerate().rev().find_map(|(at, open)| {
                    match content.strip_prefix(open.boundary.as_deref()?)? {
                        b"" => Some((at, false)),
                        b"--" => Some((at, true)),
                        _ => None,
                    }
                })?;
            let before = match raw[from..line] {
                [.., b'\r', b'\n'] => line - 2,
                [.., b'\n'] => line - 1,
                _ => line,
            };
            Some(Delimiter { before, after: end, container, closes })
        })
    }

    /// Ends the part before a boundary line, and the containers inside of the line's own.
    fn end_part(&mut self, raw: &[u8], delimiter: &Delimiter) {
        if let Some(part) = self.parts.last_mut()
            && part.body.end > delimiter.before
        {
            part.body.end = delimiter.before.max(part.body.start);
        }
        while self.open.len() > delimiter.container + 1 {
            self.close(raw, delimiter.before);
        }
        if let Some(container) = self.open.last_mut() {
            container.whole = None;
            if let Some(choice) = &mut container.choice {
                choice.settle(raw, &mut self.parts);
            }
        }
        if delimiter.closes {
            self.open.pop();
        }
    }

    /// Closes the innermost container, which ends at `end`.
    fn close(&mut self, raw: &[u8], end: usize) {
        let Some(container) = self.open.pop() else { return };
        if let Some(mut whole) = container.whole {
            whole.body.end = end.max(whole.body.start);
            self.parts.push(whole);
        } else if let Some(mut choice) = container.choice {
            choice.settle(raw, &mut self.parts);
        }
    }
}
