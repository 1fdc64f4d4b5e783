//! Structure of a message: finds its parts (RFC 2046), and which of them are its text.

use std::ops::Range;

use super::compared::push_header;
use super::fields::{Fields, content_type};
use super::limits::{MailError, MailLimits};
use super::transfer::Transfer;
use crate::office::Office;

/// A part that is no container.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) kind: PartKind,
    pub(super) role: Role,
    /// Number of the bytes that it is in: 0 for the message itself, then [`Structure::decoded`].
    pub(super) source: usize,
    /// The encoded content.
    pub(super) body: Range<usize>,
    pub(super) transfer: Transfer,
    pub(super) charset: Option<String>,
    /// Soft line ends stand inside of words (RFC 3676, `DelSp=yes`).
    pub(super) deletes_spaces: bool,
    /// The choice that it is one of.
    pub(super) choice: Option<Alternative>,
    /// Containers around it.
    depth: usize,
}

/// Kind of a part; of alternatives the greatest kind of text is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PartKind {
    /// A multipart or embedded message in a transfer encoding: decoded, and replaced by its parts.
    Encoded,
    /// No text.
    Other,
    Office(Office),
    /// Text of any other type; `true` if it is a rendering of the text that other parts hold.
    OtherText(bool),
    Html,
    Plain,
}

impl PartKind {
    pub(super) fn is_text(self) -> bool {
        matches!(self, Self::OtherText(_) | Self::Html | Self::Plain)
    }
}

/// What a part is to its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Its text.
    Text,
    /// Its text in another form.
    Alternative,
    /// Something that is sent with it.
    Attachment,
}

/// A part of a choice between plain text and HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Alternative {
    /// Number of the choice.
    pub(super) choice: usize,
    pub(super) is_plain: bool,
}

/// A multipart or embedded message that contains the part being read.
#[derive(Debug)]
struct Container {
    /// `None` of an embedded message.
    boundary: Option<Vec<u8>>,
    /// Parts are embedded messages unless they say otherwise (`multipart/digest`).
    digest: bool,
    /// All parts are attachments.
    attached: bool,
    /// Of `multipart/alternative`: the first part of each alternative.
    alternatives: Option<Vec<usize>>,
    /// All of its body as plain text, until a boundary line is found.
    whole: Option<Part>,
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
    /// Multiparts and embedded messages that were encoded, with a header.
    pub(super) decoded: Vec<Vec<u8>>,
    /// Number of choices between plain text and HTML.
    pub(super) choices: usize,
    /// What is compared of the headers of embedded messages: of those that are text, and of each
    /// that is an attachment.
    pub(super) headers: Vec<u8>,
    pub(super) attached_headers: Vec<Vec<u8>>,
    /// Parts so far.
    count: usize,
    /// Containers around the bytes being read, and whether these are an attachment.
    around: (usize, bool),
    source: usize,
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
        self.parts.clear();
        self.decoded.clear();
        self.headers.clear();
        self.attached_headers.clear();
        (self.choices, self.count, self.around, self.source) = (0, 1, (0, false), 0);
        self.find_in(raw, Some(header), body, limits)?;
        let mut at = 0;
        while let Some(part) = self.parts.get(at) {
            if part.kind == PartKind::Encoded {
                self.decode(raw, at, limits)?;
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// The bytes of a source.
    pub(super) fn bytes<'a>(&'a self, raw: &'a [u8], part: &Part) -> &'a [u8] {
        let bytes = part.source.checked_sub(1).map_or(raw, |at| &self.decoded[at]);
        &bytes[part.body.clone()]
    }

    /// Frees buffers that are larger than this.
    pub(super) fn free_large(&mut self, large: usize) {
        if self.decoded.iter().map(Vec::capacity).sum::<usize>() > large {
            self.decoded = Vec::new();
        }
    }

    /// Replaces an encoded container by its parts.
    fn decode(&mut self, raw: &[u8], at: usize, limits: &MailLimits) -> Result<(), MailError> {
        let later = self.parts.split_off(at + 1);
        let Some(part) = self.parts.pop() else { return Ok(()) };
        let encoded = self.bytes(raw, &part);
        let mut bytes = Vec::new();
        // The header of a multipart, where it is not in the bytes.
        if let Some(kind) = &part.charset {
            bytes = format!("Content-Type: {kind}\n\n").into_bytes();
        }
        let header = bytes.len();
        part.transfer.decode(encoded, &mut bytes);
        // An embedded message that is not in the encoding that it names.
        if header == 0 && !Fields::begin(&bytes) && Fields::begin(encoded) {
            bytes = encoded.to_vec();
        }
        let held: usize = self.decoded.iter().map(Vec::len).sum();
        if held + bytes.len() > limits.text.saturating_mul(2) {
            return Err(MailError::TooMuchText(limits.text));
        }
        let depth = part.depth + 1;
        if depth > limits.depth {
            return Err(MailError::TooDeep(limits.depth));
        }
        let attached = part.role == Role::Attachment;
        (self.around, self.source) = ((depth, attached), self.decoded.len() + 1);
        let mut fields = std::mem::take(&mut self.fields);
        let body = fields.split(&bytes, 0)?;
        if header == 0 {
            self.push_header(&fields, &bytes, attached);
        }
        let found = self.find_in(&bytes, Some(&fields), body, limits);
        self.fields = fields;
        self.decoded.push(bytes);
        found?;
        for inner in &mut self.parts[at..] {
            inner.choice = part.choice.or(inner.choice);
            if part.role == Role::Alternative && inner.role == Role::Text {
                inner.role = Role::Alternative;
            }
        }
        self.parts.extend(later);
        Ok(())
    }

    /// Keeps what is compared of the header of an embedded message.
    fn push_header(&mut self, fields: &Fields, raw: &[u8], attached: bool) {
        if attached {
            self.attached_headers.push(Vec::new());
        }
        let headers = if attached { self.attached_headers.last_mut() } else { None };
        push_header(fields, raw, headers.unwrap_or(&mut self.headers));
    }

    /// Finds the parts of some bytes.
    fn find_in(
        &mut self,
        raw: &[u8],
        header: Option<&Fields>,
        body: usize,
        limits: &MailLimits,
    ) -> Result<(), MailError> {
        self.open.clear();
        let mut at = self.entity(raw, header, body, limits)?;
        // What precedes a boundary line is the body of a leaf, or comes before the first part or
        // after the last one of a container.
        while let Some(delimiter) = self.delimiter(raw, at) {
            self.end_part(raw, &delimiter);
            at = delimiter.after;
            if delimiter.closes {
                continue;
            }
            self.count += 1;
            if self.count > limits.parts {
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
            let disposition = field("content-disposition").unwrap_or_default().trim_ascii();
            let attached = self.around.1
                || self.open.last().is_some_and(|container| container.attached)
                || disposition.get(..10).is_some_and(|w| w.eq_ignore_ascii_case(b"attachment"));
            let transfer = Transfer::of(field("content-transfer-encoding"));
            let digest = self.open.last().is_some_and(|container| container.digest);
            let (main, sub) = match kind.as_ref().map(|kind| (&kind.c_type, &kind.c_subtype)) {
                Some((main, Some(sub))) => (main.as_ref(), sub.as_ref()),
                None if digest => ("message", "rfc822"),
                // What is not a media type is plain text (RFC 2045, section 5.2).
                _ => ("text", "plain"),
            };
            let parameter = |name: &str| kind.as_ref().and_then(|kind| kind.attribute(name));
            let is = |name, value: &str| {
                parameter(name).is_some_and(|found| found.trim().eq_ignore_ascii_case(value))
            };
            let leaf = |kind: PartKind, charset: Option<&str>| Part {
                kind,
                role: match attached || !kind.is_text() {
                    true => Role::Attachment,
                    false => Role::Text,
                },
                source: self.source,
                body: body..raw.len(),
                transfer,
                charset: charset.map(str::to_owned),
                deletes_spaces: is("format", "flowed") && is("delsp", "yes"),
                choice: None,
                depth: self.around.0 + self.open.len(),
            };
            let encoded = |kind: Option<&str>| Part {
                role: if attached { Role::Attachment } else { Role::Text },
                ..leaf(PartKind::Encoded, kind)
            };
            let container = match (main, sub) {
                ("multipart", sub) => {
                    let boundary = parameter("boundary").map_or("", str::trim_end);
                    let whole = leaf(PartKind::Plain, None);
                    if boundary.is_empty() {
                        self.parts.push(whole);
                        return Ok(body);
                    }
                    let line = [b"--", boundary.as_bytes()].concat();
                    if transfer != Transfer::Identity
                        && memchr::memmem::find(&raw[body..], &line).is_none()
                    {
                        let kind = format!("multipart/{sub}; boundary=\"{boundary}\"");
                        self.parts.push(encoded(Some(&kind)));
                        return Ok(body);
                    }
                    Container {
                        boundary: Some(boundary.as_bytes().to_vec()),
                        digest: sub == "digest",
                        attached,
                        alternatives: (sub == "alternative").then(Vec::new),
                        whole: Some(whole),
                    }
                }
                ("message", "rfc822" | "global" | "news") => {
                    if transfer != Transfer::Identity {
                        self.parts.push(encoded(None));
                        return Ok(body);
                    }
                    Container {
                        boundary: None,
                        digest: false,
                        attached,
                        alternatives: None,
                        whole: None,
                    }
                }
                // They belong to the transport: each copy that is sent has another one.
                ("application", "pgp-signature" | "pkcs7-signature" | "x-pkcs7-signature") => {
                    return Ok(body);
                }
                _ => {
                    let name =
                        |value| content_type(value)?.attribute("filename").map(str::to_owned);
                    let named = name(disposition).or_else(|| parameter("name").map(str::to_owned));
                    let kind = part_kind(main, sub, named.as_deref().unwrap_or_default());
                    self.parts.push(leaf(kind, parameter("charset")));
                    return Ok(body);
                }
            };
            if self.around.0 + self.open.len() >= limits.depth {
                return Err(MailError::TooDeep(limits.depth));
            }
            let embedded = container.boundary.is_none();
            let attached = container.attached;
            self.open.push(container);
            if !embedded {
                return Ok(body);
            }
            body = self.fields.split(raw, body)?;
            let fields = std::mem::take(&mut self.fields);
            self.push_header(&fields, raw, attached);
            self.fields = fields;
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
            && part.source == self.source
            && part.body.end > delimiter.before
        {
            part.body.end = delimiter.before.max(part.body.start);
        }
        while self.open.len() > delimiter.container + 1 {
            self.close(raw, delimiter.before);
        }
        if let Some(container) = self.open.last_mut() {
            container.whole = None;
            if let Some(alternatives) = &mut container.alternatives {
                alternatives.push(self.parts.len());
            }
        }
        if delimiter.closes {
            self.close(raw, delimiter.before);
        }
    }

    /// Closes the innermost container, which ends at `end`.
    fn close(&mut self, raw: &[u8], end: usize) {
        let Some(container) = self.open.pop() else { return };
        if let Some(mut whole) = container.whole {
            whole.body.end = end.max(whole.body.start);
            self.parts.push(whole);
        } else if let Some(starts) = container.alternatives {
            self.settle(raw, &starts);
        }
    }

    /// Makes the choice among alternatives, each of the parts from its start to the next one: those
    /// of the greatest kind that are not blank. Between plain text and HTML, the contents decide
    /// later ([`Alternative`]).
    fn settle(&mut self, raw: &[u8], starts: &[usize]) {
        let ends = starts.iter().skip(1).chain([&usize::MAX]);
        let groups: Vec<Range<usize>> = starts
            .iter()
            .zip(ends)
            .map(|(start, end)| *start..(*end).min(self.parts.len()))
            .filter(|group| !group.is_empty())
            .collect();
        let kind_of = |group: &Range<usize>| {
            let texts = self.parts[group.clone()].iter().filter(|part| {
                part.role == Role::Text && !raw[part.body.clone()].trim_ascii().is_empty()
            });
            texts.map(|part| part.kind).max()
        };
        let kinds: Vec<Option<PartKind>> = groups.iter().map(kind_of).collect();
        let found = |kind| kinds.iter().position(|of| *of == Some(kind));
        let (plain, html) = (found(PartKind::Plain), found(PartKind::Html));
        let best = kinds.iter().flatten().max();
        let other = best.and_then(|kind| found(*kind));
        for (number, group) in groups.iter().enumerate() {
            let is_plain = plain == Some(number);
            for part in &mut self.parts[group.clone()] {
                if part.role != Role::Text {
                    continue;
                }
                if plain.is_some() && html.is_some() && (is_plain || html == Some(number)) {
                    part.choice = Some(Alternative { choice: self.choices, is_plain });
                } else if other != Some(number) {
                    // A calendar or a table may say more than the text beside it.
                    part.role = match part.kind {
                        PartKind::OtherText(false) => Role::Attachment,
                        _ => Role::Alternative,
                    };
                }
            }
        }
        self.choices += 1;
    }
}

/// The kind of a part by its media type, or by its file name where the type says nothing.
fn part_kind(main: &str, sub: &str, name: &str) -> PartKind {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match (main, sub, extension.as_deref()) {
        ("text", "plain", _) => PartKind::Plain,
        ("text", "html", _) | ("application", "xhtml+xml", _) => PartKind::Html,
        ("text", "enriched" | "richtext" | "x-amp-html" | "x-watch-html" | "watch-html", _) => {
            PartKind::OtherText(true)
        }
        ("text", _, _) => PartKind::OtherText(false),
        (_, "vnd.openxmlformats-officedocument.wordprocessingml.document", _)
        | (_, "octet-stream", Some("docx")) => PartKind::Office(Office::Docx),
        (_, "vnd.oasis.opendocument.text", _) | (_, "octet-stream", Some("odt")) => {
            PartKind::Office(Office::Odt)
        }
        _ => PartKind::Other,
    }
}
