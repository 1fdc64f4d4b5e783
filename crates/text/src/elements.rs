//! An element's name in, what extraction does with it out: one table.
//!
//! Hidden is what a browser that runs scripts does not show: `script`, `style`, `noscript`,
//! `template`, the fallbacks `iframe`, `noembed` and `noframes`, and the tool tips `title` and
//! `desc` of a drawing. Shown is what it does show, though a form holds it: `textarea`, `option`,
//! `button`.

use crate::MarkKind;
use crate::page_builder::Break;
use html5ever::tokenizer::states::RawKind;

/// How the tokenizer must read on after a start tag (WHATWG HTML, section 13.2.6.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// As markup.
    Markup,
    /// As text, up to the end tag of this name.
    Raw(&'static str, RawKind),
    /// As text, up to the end of the page.
    Plaintext,
}

/// No name that is of any interest is longer.
pub(crate) const LONGEST: usize = 16;

/// The elements whose content is raw text.
const RAW: [(&str, RawKind); 9] = [
    ("title", RawKind::Rcdata),
    ("textarea", RawKind::Rcdata),
    ("style", RawKind::Rawtext),
    ("xmp", RawKind::Rawtext),
    ("iframe", RawKind::Rawtext),
    ("noembed", RawKind::Rawtext),
    ("noframes", RawKind::Rawtext),
    ("noscript", RawKind::Rawtext),
    ("script", RawKind::ScriptData),
];

/// How to read the content of an element.
pub(crate) fn content(name: &str) -> Content {
    match RAW.into_iter().find(|(raw, _)| *raw == name) {
        Some((name, kind)) => Content::Raw(name, kind),
        None if name == "plaintext" => Content::Plaintext,
        None => Content::Markup,
    }
}

/// Is the raw content of this element shown in the page?
pub(crate) fn shows_raw(name: &str) -> bool {
    matches!(name, "textarea" | "xmp" | "plaintext")
}

/// Is this content of a drawing or formula no text of the page?
pub(crate) fn hidden_in_drawing(name: &str) -> bool {
    matches!(name, "script" | "style" | "title" | "desc" | "metadata" | "annotation")
}

/// Separation of the text before a tag from the text after it.
pub(crate) fn separation(name: &str) -> Break {
    match name {
        "address" | "article" | "aside" | "blockquote" | "body" | "br" | "caption" | "center"
        | "dd" | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset" | "figcaption"
        | "figure" | "footer" | "form" | "frameset" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
        | "head" | "header" | "hgroup" | "hr" | "html" | "legend" | "li" | "listing" | "main"
        | "menu" | "nav" | "ol" | "optgroup" | "option" | "p" | "plaintext" | "pre" | "search"
        | "section" | "summary" | "table" | "tbody" | "textarea" | "tfoot" | "thead" | "tr"
        | "ul" | "xmp" => Break::Line,
        "audio" | "button" | "canvas" | "embed" | "iframe" | "img" | "input" | "math"
        | "object" | "rp" | "rt" | "select" | "svg" | "td" | "text" | "th" | "video" => {
            Break::Space
        }
        _ => Break::None,
    }
}

/// Kind of mark of the element's text.
pub(crate) fn mark(name: &str) -> Option<MarkKind> {
    match name {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Some(MarkKind::Heading),
        "b" | "strong" | "i" | "em" => Some(MarkKind::Emphasis),
        "a" => Some(MarkKind::Link),
        _ => None,
    }
}

/// Does emphasis end at the edge of this element? (Browsers put a marker on their list of active
/// formatting elements.)
pub(crate) fn bounds_formatting(name: &str) -> bool {
    matches!(name, "td" | "th" | "caption")
}

/// Does this start tag end an `svg` or `math` that was left open? (Section 13.2.6.5, "the rules for
/// parsing tokens in foreign content".)
pub(crate) fn leaves_drawing(name: &str) -> bool {
    matches!(
        name,
        "b" | "big"
            | "blockquote"
            | "body"
            | "br"
            | "center"
            | "code"
            | "dd"
            | "div"
            | "dl"
            | "dt"
            | "em"
            | "embed"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "hr"
            | "i"
            | "img"
            | "li"
            | "listing"
            | "menu"
            | "meta"
            | "nobr"
            | "ol"
            | "p"
            | "pre"
            | "ruby"
            | "s"
            | "small"
            | "span"
            | "strong"
            | "strike"
            | "sub"
            | "sup"
            | "table"
            | "tt"
            | "u"
            | "ul"
            | "var"
    )
}
