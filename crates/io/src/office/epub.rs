//! Books: EPUB 2 and 3 (ISO/IEC 23736), zip archives of XHTML documents.
//!
//! `META-INF/container.xml` names the package document, whose spine has the documents in the order of
//! reading. They are read as pages of HTML, so that entities of a DTD and damaged markup do no harm.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::iter::successors;

use lookalike_text::{composed, decode_html, decode_text, extract};
use memchr::{memchr, memmem};
use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};

use super::{Package, invalid};
use crate::partitions::percent_decoded;

/// Algorithms that hide fonts from other programs: no text is encrypted.
const FONTS: [&str; 2] = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];
/// Elements whose content is no markup, and which are empty in XHTML if they end with `/>`.
const RAW: [&[u8]; 9] = [
    b"title",
    b"script",
    b"style",
    b"textarea",
    b"noscript",
    b"template",
    b"iframe",
    b"noframes",
    b"xmp",
];

/// Most bytes of a file that describes a book: lists of files take a multiple of that in memory.
const DESCRIPTION: usize = 4 << 20;

/// Longest chain of fallbacks that is followed: it may be a circle.
const FALLBACKS: usize = 9;

/// Attributes of an element, without prefixes and the white space around values.
type Attributes = HashMap<String, String>;
/// Name and attributes of an element, without prefixes.
type Element = (String, Attributes);

/// The texts of the documents of a book, in the order of reading.
pub(crate) fn text(file: &[u8], limit: usize) -> Result<String, String> {
    let mut book = Package::open(file, limit)?;
    if book.has("META-INF/encryption.xml") {
        let xml = book.part("META-INF/encryption.xml")?;
        let is_font = |method: &Attributes| {
            method.get("Algorithm").is_some_and(|name| FONTS.contains(&&**name))
        };
        // Inside of an encrypted key, a method is not about a part of the book.
        let data = elements(&xml, &["EncryptedData", "EncryptedKey", "EncryptionMethod"])?;
        let mut part = false;
        for (name, attributes) in &data {
            match name.as_str() {
                "EncryptionMethod" if part && !is_font(attributes) => {
                    return Err("is encrypted (DRM); get a copy without it".to_owned());
                }
                name => part = name == "EncryptedData",
            }
        }
    }
    // Names are the same in any composition of their letters: those of macOS are decomposed.
    let names: HashMap<String, String> =
        book.names().map(|name| (composed(&name).into_owned(), name)).collect();
    let find = |base: &str, href: &str| {
        let paths = [percent_decoded(href), href.to_owned()];
        paths.iter().find_map(|href| names.get(&*composed(&joined(base, href))))
    };
    let container = book.part("META-INF/container.xml")?;
    let roots = elements(&container, &["rootfile"])?;
    let is_package = |root: &Attributes| {
        root.get("media-type").is_some_and(|kind| kind == "application/oebps-package+xml")
    };
    let mut roots: Vec<&Attributes> = roots.iter().map(|(_, root)| root).collect();
    roots.retain(|root| root.get("full-path").is_some_and(|path| !path.is_empty()));
    // The same book may be there as a PDF.
    roots.sort_by_key(|root| !is_package(root));
    let root = roots.first().map(|root| &root["full-path"]);
    let root = root.ok_or("names no package document; get a good copy")?;
    let root = find("", root)
        .ok_or_else(|| format!("lacks its package document {root}; get a good copy"))?;
    let package = elements(&book.part(root)?, &["item", "itemref"])?;
    let (mut items, mut read, mut out, mut missing, mut pictures) =
        (HashMap::new(), HashSet::new(), String::new(), None, false);
    for (_, item) in package.iter().filter(|(name, _)| name == "item") {
        if let Some(id) = item.get("id") {
            items.entry(id).or_insert(item);
        }
    }
    for (_, reference) in package.iter().filter(|(name, _)| name == "itemref") {
        let Some(&first) = reference.get("idref").and_then(|id| items.get(id)) else { continue };
        // A table of contents repeats headings.
        if first
            .get("properties")
            .is_some_and(|all| all.split_ascii_whitespace().any(|p| p == "nav"))
        {
            continue;
        }
        // What readers need not know has a fallback.
        let next = |item: &&Attributes| items.get(item.get("fallback")?).copied();
        let chain: Vec<&Attributes> = successors(Some(first), next).take(FALLBACKS).collect();
        let page = chain.iter().find(|item| is_page(item));
        let Some(item) = page.or_else(|| chain.iter().find(|item| is_markup(item))) else {
            pictures = true;
            continue;
        };
        let Some(href) = item.get("href").map(|href| href.split('#').next().unwrap_or(href)) else {
            continue;
        };
        let Some(path) = find(root, href) else {
            missing.get_or_insert(href);
            continue;
        };
        if read.insert(path) {
            let page = book.part(path)?;
            out += &extract(&without_empty(&decode_html(&page).text)).text;
            out.push('\n');
        }
    }
    match missing {
        Some(missing) if read.is_empty() => {
            Err(format!("lacks its documents, the first of them {missing}; get a good copy"))
        }
        None if read.is_empty() && pictures => Err(
            "has pictures for pages, and no text; extract it by a command with the setting extract"
                .to_owned(),
        ),
        None if read.is_empty() => Err("has no documents; get a good copy".to_owned()),
        _ => Ok(out),
    }
}

/// Whether an item of a package is a page that readers have to know, or is called so.
fn is_page(item: &Attributes) -> bool {
    let kind = item.get("media-type").map_or("", String::as_str);
    let href = item.get("href").map(|href| href.to_ascii_lowercase()).unwrap_or_default();
    kind.is_empty() || kind.contains("html") || href.ends_with("html") || href.ends_with(".htm")
}

/// Whether an item of another kind has text that can be read as a page.
fn is_markup(item: &Attributes) -> bool {
    item.get("media-type").is_some_and(|kind| {
        kind.starts_with("text/") || kind.ends_with("xml") && !kind.starts_with("image/")
    })
}

/// The elements with these names.
fn elements(xml: &[u8], names: &[&str]) -> Result<Vec<Element>, String> {
    if xml.len() > DESCRIPTION {
        return Err(format!("is described by more than {DESCRIPTION} bytes; get a good copy"));
    }
    let xml = decode_text(xml).text;
    let mut reader = Reader::from_str(&xml);
    // In a title of a book, such as Tom & Jerry.
    reader.config_mut().allow_dangling_amp = true;
    let mut out = Vec::new();
    loop {
        match reader.read_event().map_err(invalid)? {
            Event::Start(element) | Event::Empty(element) => {
                let name = String::from_utf8_lossy(element.local_name().as_ref()).into_owned();
                if !names.contains(&&*name) {
                    continue;
                }
                let mut attributes = Attributes::new();
                for attribute in element.attributes() {
                    let attribute = attribute.map_err(|error| invalid(error.into()))?;
                    let key = String::from_utf8_lossy(attribute.key.local_name().as_ref()).into();
                    let value =
                        attribute.normalized_value(XmlVersion::Implicit1_0).map_err(invalid)?;
                    attributes.insert(key, value.trim().to_owned());
                }
                out.push((name, attributes));
            }
            Event::Eof => return Ok(out),
            _ => {}
        }
    }
}

/// The path in the archive of a reference in the file `base`.
fn joined(base: &str, href: &str) -> String {
    let mut path: Vec<&str> = base.split('/').collect();
    path.pop();
    for step in href.split('/') {
        match step {
            "." | "" => {}
            ".." => drop(path.pop()),
            step => path.push(step),
        }
    }
    path.join("/")
}

/// XHTML as a reader of HTML takes it: without empty elements (`<title/>`) whose content would go on to
/// the end, and with the text of CDATA sections.
fn without_empty(page: &str) -> Cow<'_, str> {
    let (mut out, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = memchr(b'<', &page.as_bytes()[at..]) {
        let start = at + found;
        let tag = &page[start + 1..];
        at = start + 1;
        if let Some(data) = tag.strip_prefix("![CDATA[") {
            let end = memmem::find(data.as_bytes(), b"]]>").unwrap_or(data.len());
            out += &page[copied..start];
            out += &data[..end].replace('&', "&amp;").replace('<', "&lt;");
            at = page.len().min(start + "<![CDATA[".len() + end + "]]>".len());
            copied = at;
            continue;
        }
        let name = tag.bytes().take_while(u8::is_ascii_alphanumeric).count();
        if !RAW.iter().any(|raw| raw.eq_ignore_ascii_case(&tag.as_bytes()[..name])) {
            continue;
        }
        let mut quote = None;
        let end = tag.bytes().position(|byte| match (quote, byte) {
            (None, b'>') => true,
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                false
            }
            (Some(open), byte) if open == byte => {
                quote = None;
                false
            }
            _ => false,
        });
        let Some(end) = end else { break };
        if tag[..end].ends_with('/') {
            out += &page[copied..start];
            copied = start + 1 + end + 1;
        }
        at = start + 1 + end + 1;
    }
    if copied == 0 {
        return page.into();
    }
    (out + &page[copied..]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_paths() {
        for (base, href, path) in [
            ("content.opf", "a.xhtml", "a.xhtml"),
            ("OEBPS/content.opf", "text/a.xhtml", "OEBPS/text/a.xhtml"),
            ("a/b/c.opf", "../text/./a.xhtml", "a/text/a.xhtml"),
            ("c.opf", "../../a.xhtml", "a.xhtml"),
        ] {
            assert_eq!(joined(base, href), path);
        }
    }

    #[test]
    fn empty_elements_of_xhtml_are_empty() {
        let page = |xhtml: &str| extract(&without_empty(xhtml)).text;
        assert_eq!(
            page("<head><title/><script src='a/>b'/></head><p>a&nbsp;<b/>b</p>"),
            "a\u{a0}b"
        );
        assert_eq!(page("<title>t</title><p>x<![CDATA[a < b & c]]>y"), "xa < b & cy");
        assert_eq!(page("<TITLE lang=\"/>\" /><p>a</p><title"), "a");
        assert_eq!(page("<p>a<![CDATA[b"), "ab");
        assert!(matches!(without_empty("<title>a</title><p>b<br/>"), Cow::Borrowed(_)));
    }
}
