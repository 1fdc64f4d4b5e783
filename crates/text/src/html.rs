//! An HTML page in, its text out, with its title and marks.
//!
//! [`extract`] drives html5ever's tokenizer, which handles comments, raw text and character
//! references as browsers do, and builds no tree: deep nesting has no cost, and open elements end
//! with the page. Two tasks of a tree builder are done here: telling the tokenizer which elements
//! contain raw text, and tracking whether the position is within a drawing (where they do not).

use crate::elements::{self, Content};
use crate::page_builder::Builder;
use crate::{MarkKind, Page, reference, tag};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use memchr::{memchr, memchr2, memmem};
use std::cell::{Cell, RefCell};

/// The text of a page.
///
/// Character references are decoded; comments, scripts, styles, `noscript`, `template` and embedded
/// frames are dropped; the text of forms (`textarea`, `option`, `button`) is kept; the title stands
/// apart. Linear in the page, whatever it holds. Never fails: every string is some page.
///
/// ```
/// let page = lookalike_text::extract("<title>T</title><p>a<b>b</b>&amp;<script>x</script><p>c");
/// assert_eq!(page.text, "ab&\nc");
/// assert_eq!(page.title.as_deref(), Some("T"));
/// assert_eq!(&page.text[page.marks[0].start..page.marks[0].end], "b");
/// ```
#[must_use]
pub fn extract(html: &str) -> Page {
    let reader = Reader::new();
    reader.read(html);
    reader.tokenizer.end();
    reader.tokenizer.sink.0.into_inner().finish()
}

/// Feeds the tokenizer piece by piece, so that it never sees an attribute.
///
/// Plain text, common references, and tags that change nothing about how to read on, do not go
/// through it at all while it has nothing pending (such as `&am`, which `p;` would complete).
struct Reader {
    tokenizer: Tokenizer<Sink>,
    queue: BufferQueue,
    pending: Cell<bool>,
}

/// Most bytes given to the tokenizer at once.
const PIECE: usize = 1 << 16;

/// The element that nothing ends.
const PLAINTEXT: &str = "plaintext";

impl Reader {
    fn new() -> Self {
        Self {
            // It would discard a byte order mark from every piece.
            tokenizer: Tokenizer::new(
                Sink::default(),
                TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() },
            ),
            queue: BufferQueue::default(),
            pending: Cell::new(false),
        }
    }

    fn read(&self, html: &str) {
        let mut rest = html.strip_prefix('\u{feff}').unwrap_or(html);
        while !rest.is_empty() {
            let used = if self.raw_name().is_some() {
                self.read_raw(rest)
            } else {
                self.read_markup(rest)
            };
            rest = &rest[used..];
        }
    }

    /// The element whose raw text we are in.
    fn raw_name(&self) -> Option<&'static str> {
        self.tokenizer.sink.0.borrow().raw
    }

    /// Feeds text up to the next `<`, or what begins there. Gives the number of bytes used.
    fn read_markup(&self, rest: &str) -> usize {
        let bytes = rest.as_bytes();
        match memchr(b'<', bytes) {
            None => self.read_text(rest),
            Some(0) => match (bytes.get(1), bytes.get(2)) {
                (Some(b'a'..=b'z' | b'A'..=b'Z'), _)
                | (Some(b'/'), Some(b'a'..=b'z' | b'A'..=b'Z')) => self.read_tag(rest),
                (Some(b'/'), Some(b'>')) => self.feed_all("</>"),
                (Some(b'!' | b'?' | b'/'), _) => self.read_comment(rest),
                _ => {
                    self.pending.set(true);
                    self.feed_all("<")
                }
            },
            Some(text) => self.read_text(&rest[..text]),
        }
    }

    fn read_text(&self, text: &str) -> usize {
        let rest = if self.pending.get() { text } else { self.read_plain_text(text) };
        if !rest.is_empty() {
            self.pending.set(true);
            self.feed_all(rest);
        }
        text.len()
    }

    /// Reads text up to what only the tokenizer can read, and returns the rest.
    fn read_plain_text<'a>(&self, text: &'a str) -> &'a str {
        let mut extraction = self.tokenizer.sink.0.borrow_mut();
        let mut rest = text;
        while let Some(at) = memchr2(b'&', b'\0', rest.as_bytes()) {
            let (plain, special) = rest.split_at(at);
            extraction.text(plain);
            let Some((character, length)) = reference::read(special.as_bytes()) else {
                return special;
            };
            extraction.text(character.encode_utf8(&mut [0; 4]));
            rest = &special[length..];
        }
        extraction.text(rest);
        ""
    }

    /// A tag without its attributes. One that never ends is no tag, and nor is what follows.
    fn read_tag(&self, rest: &str) -> usize {
        let Some(tag) = tag::read(rest.as_bytes()) else {
            return rest.len();
        };
        if self.pending.get() || !self.read_plain_tag(&rest[..tag.name_end], tag.self_closing) {
            self.feed_all(&rest[..tag.name_end]);
            self.feed(if tag.self_closing { "/>" } else { ">" });
            self.pending.set(false);
        }
        tag.end
    }

    /// Reads a tag that does not affect the tokenizer; returns whether it was one.
    fn read_plain_tag(&self, start: &str, self_closing: bool) -> bool {
        let mut buffer = [0; elements::LONGEST];
        let mut extraction = self.tokenizer.sink.0.borrow_mut();
        let (name, is_end) = match start.strip_prefix("</") {
            Some(name) => (name, true),
            None => (&start[1..], false),
        };
        let Some(lower) = buffer.get_mut(..name.len()) else {
            return false;
        };
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        let Ok(name) = std::str::from_utf8(lower) else {
            return false;
        };
        if is_end {
            extraction.end(name);
            true
        } else if elements::content(name) == Content::Markup {
            // Which never asks for another way of reading.
            let _ = extraction.start(name, self_closing);
            true
        } else {
            false
        }
    }

    /// A comment, a doctype or what is read as a comment: up to the first `>` that ends it.
    fn read_comment(&self, rest: &str) -> usize {
        let before = self.tokenizer.sink.0.borrow().comments;
        self.pending.set(false);
        let mut at = 0;
        while let Some(length) = memchr(b'>', &rest.as_bytes()[at..]) {
            self.feed_all(&rest[at..=at + length]);
            at += length + 1;
            if self.tokenizer.sink.0.borrow().comments != before {
                return at;
            }
        }
        at + self.feed_all(&rest[at..])
    }

    /// Raw text up to what may be its end tag, and that tag.
    fn read_raw(&self, rest: &str) -> usize {
        let Some(name) = self.raw_name().filter(|&name| name != PLAINTEXT) else {
            return self.feed_all(rest);
        };
        let bytes = rest.as_bytes();
        let is_end = |&at: &usize| {
            let after = at + 2 + name.len();
            bytes
                .get(at + 2..after)
                .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
                && bytes
                    .get(after)
                    .is_some_and(|&next| tag::is_space(next) || b"/>".contains(&next))
        };
        let Some(at) = memmem::find_iter(bytes, b"</").find(is_end) else {
            return self.feed_all(rest);
        };
        let name_end = at + 2 + name.len();
        self.feed_all(&rest[..name_end]);
        self.feed(">");
        if self.raw_name().is_some() {
            // A script inside `<!--<script>`: this tag did not end the outer one. To a script, the
            // byte after the name and the `>` fed in its place are the same.
            return name_end + 1;
        }
        tag::read(&bytes[at..]).map_or(rest.len(), |tag| at + tag.end)
    }

    /// Feeds all of the text, and returns its length.
    fn feed_all(&self, text: &str) -> usize {
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, more) = rest.split_at(rest.floor_char_boundary(PIECE));
            self.feed(piece);
            rest = more;
        }
        text.len()
    }

    fn feed(&self, piece: &str) {
        self.queue.push_back(StrTendril::from_slice(piece));
        // The sink never asks the tokenizer to pause.
        let _ = self.tokenizer.feed(&self.queue);
    }
}

/// Receiver of the tokens. The tokenizer calls it by shared reference, hence the cell.
#[derive(Default)]
struct Sink(RefCell<Extraction>);

#[derive(Default)]
struct Extraction {
    page: Builder,
    title: Option<Builder>,
    /// The element whose raw text we are in.
    raw: Option<&'static str>,
    /// Is this raw text the page's title?
    in_title: bool,
    /// Comments and doctypes seen.
    comments: u64,
    /// Open `template` elements.
    templates: usize,
    /// Open `svg` and `math` elements, one inside the other.
    drawings: usize,
    /// Open elements inside a drawing that hide their text.
    hidden: usize,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut extraction = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => extraction.text(&text),
            Token::CommentToken(_) | Token::DoctypeToken(_) => extraction.comments += 1,
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                return extraction.start(&tag.name, tag.self_closing);
            }
            Token::TagToken(tag) => extraction.end(&tag.name),
            Token::NullCharacterToken | Token::EOFToken | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}

impl Extraction {
    fn text(&mut self, text: &str) {
        if self.in_title {
            if let Some(title) = &mut self.title {
                title.push(text);
            }
        } else if self.is_shown() && self.raw.is_none_or(elements::shows_raw) {
            self.page.push(text);
        }
    }

    fn is_shown(&self) -> bool {
        self.templates == 0 && self.hidden == 0
    }

    fn start(&mut self, name: &str, self_closing: bool) -> TokenSinkResult<()> {
        if self.drawings > 0 {
            if !elements::leaves_drawing(name) {
                self.start_in_drawing(name, self_closing);
                return TokenSinkResult::Continue;
            }
            self.drawings = 0;
            self.hidden = 0;
        }
        self.around(name);
        match name {
            "template" => self.templates += 1,
            "svg" | "math" if !self_closing => self.drawings = 1,
            _ => {}
        }
        if let Some(kind) = elements::mark(name)
            && self.is_shown()
        {
            self.page.open(kind);
        }
        match elements::content(name) {
            Content::Markup => TokenSinkResult::Continue,
            Content::Plaintext => {
                self.raw = Some(PLAINTEXT);
                TokenSinkResult::Plaintext
            }
            Content::Raw(name, kind) => {
                self.raw = Some(name);
                if name == "title" {
                    self.in_title = self.title.is_none() && self.templates == 0;
                    if self.in_title {
                        self.title = Some(Builder::default());
                    }
                }
                TokenSinkResult::RawData(kind)
            }
        }
    }

    fn start_in_drawing(&mut self, name: &str, self_closing: bool) {
        self.around(name);
        if self_closing {
            return;
        }
        if matches!(name, "svg" | "math") {
            self.drawings += 1;
        } else if elements::hidden_in_drawing(name) {
            self.hidden += 1;
        }
    }

    fn end(&mut self, name: &str) {
        self.raw = None;
        self.in_title = false;
        if self.drawings > 0 {
            if matches!(name, "svg" | "math") {
                self.drawings -= 1;
                if self.drawings == 0 {
                    self.hidden = 0;
                }
            } else if elements::hidden_in_drawing(name) {
                self.hidden = self.hidden.saturating_sub(1);
            }
        }
        if name == "template" {
            self.templates = self.templates.saturating_sub(1);
        }
        if let Some(kind) = elements::mark(name)
            && self.is_shown()
        {
            self.page.close(kind);
        }
        self.around(name);
    }

    /// Effect of either tag of an element on the text around it.
    fn around(&mut self, name: &str) {
        if !self.is_shown() {
            return;
        }
        self.page.separate(elements::separation(name));
        if elements::bounds_formatting(name) {
            self.page.close_all(MarkKind::Emphasis);
            self.page.close_all(MarkKind::Link);
        }
    }

    fn finish(self) -> Page {
        let title = self.title.map(|title| title.finish(None).text).filter(|text| !text.is_empty());
        self.page.finish(title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The plain twin of [`extract`]: the whole page to the tokenizer, attributes and all.
    fn extract_whole(html: &str) -> Page {
        let reader = Reader::new();
        reader.feed(html.strip_prefix('\u{feff}').unwrap_or(html));
        reader.tokenizer.end();
        reader.tokenizer.sink.0.into_inner().finish()
    }

    #[test]
    fn references_are_those_of_the_tokenizer() {
        let names = "amp lt gt quot apos nbsp copy laquo raquo middot bull hellip ndash mdash lsquo rsquo \
                     ldquo rdquo eacute zwj CounterClockwiseContourIntegral amP GT nosuch";
        let names = names.split(' ').map(str::to_owned);
        let numbers =
            (0..0x400).chain(0xD7F0..0xE010).chain(0xFFF0..0x1_0010).chain(0x10_FFF0..0x11_0010);
        let numbers = numbers.flat_map(|n| {
            [format!("#{n}"), format!("#x{n:x}"), format!("#X{n:X}"), format!("#00{n}")]
        });
        let odd =
            ["#", "#x", "#+65", "#-65", "#x+41", "# 65", "#65 ", "#é", "#4294967361", "", "a&lt"];
        for reference in names.chain(numbers).chain(odd.map(str::to_owned)) {
            let page = format!("a&{reference};b &{reference} &{reference}");
            assert_eq!(extract(&page), extract_whole(&page), "{page}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn reading_piece_by_piece_is_reading_the_whole(
            html in prop::collection::vec(prop_oneof![
                prop::sample::select(vec![
                    "<", ">", "</", "/>", "<!--", "-->", "--!>", "<!", "<!>", "<?", "</>", "]]>",
                    "<![CDATA[", "<!DOCTYPE a PUBLIC '", "<p ", "</p ", "<a b='", "' c=\"", "\">",
                    "=", "/", "'", " ", "\r", "\n", "-", "!", "\0", "x", "é", "&", "&am", "p;", "&#6",
                    "&lt;", "&quot;", "&#65;", "&#x3C;", "&#+5;", "&#128;", "&nbsp", "&copy", ";",
                    "<script>", "</script>", "</script ", "<SCRIPT", "<style ", "</style/", "</styl",
                    "<title>", "</title", "<textarea/>", "</textarea>", "<svg>", "</svg>", "<title/>",
                    "<template>", "</template>", "<xmp>", "</xmp\n", "<b>", "</b>", "\u{feff}",
                ]),
                prop::sample::select(vec!["<plaintext>", "<noscript>", "a", "<h1>"]),
            ], 0..20).prop_map(|pieces| pieces.concat()),
        ) {
            prop_assert_eq!(extract(&html), extract_whole(&html));
        }
    }
}
