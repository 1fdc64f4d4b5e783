//! Links among the pages of a collection: the number of other pages that link to each.

use std::collections::{BTreeSet, HashMap};

/// The addresses and links of a collection's pages, in its order.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// Address of each document, and the distinct addresses that it links to.
    pages: Vec<(Option<String>, BTreeSet<String>)>,
}

impl Pages {
    /// Appends a document.
    pub(super) fn add(&mut self, address: Option<&str>, html: &str) {
        let linked = address.into_iter().flat_map(|address| {
            references(html).filter_map(move |reference| resolved(address, reference))
        });
        let linked = linked.collect();
        self.pages.push((address.and_then(|address| resolved(address, "")), linked));
    }

    /// For each document how many others link to it.
    pub(super) fn count(&self) -> Vec<Option<u32>> {
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for (address, linked) in &self.pages {
            for other in linked.iter().filter(|&other| Some(other) != address.as_ref()) {
                *counts.entry(other).or_default() += 1;
            }
        }
        let count = |address: &String| counts.get(address.as_str()).copied().unwrap_or(0);
        self.pages.iter().map(|(address, _)| address.as_ref().map(count)).collect()
    }
}

/// log(1 + n) / log(1 + most), to six decimals.
pub(super) fn link_weight(links: u32, most: u32) -> f64 {
    let weight = f64::from(links).ln_1p() / f64::from(most.max(1)).ln_1p();
    (weight * 1e6).round() / 1e6
}

/// The values of all `href` attributes that are quoted.
fn references(html: &str) -> impl Iterator<Item = &str> {
    html.split("href=").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
        rest[1..].split_once(quote).map(|(reference, _)| reference.trim())
    })
}

/// The address that a reference in a page means, without its fragment and query; `None` for mail,
/// scripts and the like.
fn resolved(base: &str, reference: &str) -> Option<String> {
    let bare = |text: &str| text.split(['#', '?']).next().unwrap_or_default().to_owned();
    let (base, reference) = (bare(base), bare(reference));
    let (scheme, rest) = base.split_once("://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = if let Some((scheme, rest)) = reference.split_once("://") {
        return ["http", "https"].contains(&scheme).then(|| format!("{scheme}://{rest}"));
    } else if let Some(rest) = reference.strip_prefix("//") {
        return Some(format!("{scheme}://{rest}"));
    } else if reference.is_empty() {
        path.to_owned()
    } else if let Some(rest) = reference.strip_prefix('/') {
        rest.to_owned()
    } else if reference.split('/').next().is_some_and(|first| first.contains(':')) {
        return None;
    } else {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{folder}/{reference}")
    };
    let mut parts: Vec<&str> = Vec::new();
    let folder = path.ends_with('/') || path.ends_with("/.") || path.ends_with("..");
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let end = if folder && !parts.is_empty() { "/" } else { "" };
    Some(format!("{scheme}://{host}/{}{end}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved() {
        let base = "https://e.org/docs/a/page.html#top";
        for (reference, address) in [
            ("other.html", Some("https://e.org/docs/a/other.html")),
            ("../b/", Some("https://e.org/docs/b/")),
            ("../../../x", Some("https://e.org/x")),
            ("./y?q=1#z", Some("https://e.org/docs/a/y")),
            ("/top.html", Some("https://e.org/top.html")),
            ("#section", Some("https://e.org/docs/a/page.html")),
            ("//f.org/g", Some("https://f.org/g")),
            ("http://f.org/", Some("http://f.org/")),
            ("mailto:a@e.org", None),
            ("javascript:void(0)", None),
        ] {
            assert_eq!(resolved(base, reference).as_deref(), address, "{reference}");
        }
        assert_eq!(resolved("no address", "a"), None);
        let html = r#"<a href="a">1</a> <a class=x href='b c'>2</a> <a href=d>3</a> href="#;
        assert_eq!(references(html).collect::<Vec<_>>(), ["a", "b c"]);
    }

    #[test]
    fn other_pages_are_counted_once() {
        let mut pages = Pages::default();
        pages.add(Some("http://e/a"), "<a href='b'><a href=\"b#x\"><a href='a'>");
        pages.add(Some("http://e/b"), "<a href='/a'>");
        pages.add(None, "<a href='a'>");
        pages.add(Some("http://e/c"), "<a href='/b'>");
        assert_eq!(pages.count(), [Some(1), Some(2), None, Some(0)]);
        assert_eq!((link_weight(0, 3), link_weight(3, 3), link_weight(0, 0)), (0.0, 1.0, 0.0));
        assert_eq!(link_weight(1, 3), 0.5);
    }
}
