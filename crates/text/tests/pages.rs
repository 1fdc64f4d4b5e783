//! Extraction seen from outside: what browsers show, tag soup, and pages made to be slow.

use lookalike_text::{MarkKind, extract};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn text(html: &str) -> String {
    extract(html).text
}

#[test]
fn blocks_stand_on_lines_and_inline_elements_join() {
    assert_eq!(text("<p>a <b>b</b>c\n\n d<p>e<br>f<div><div>g</div></div>h"), "a bc d\ne\nf\ng\nh");
    assert_eq!(text("<table><tr><td>a<td>b<tr><th>c</table>"), "a b\nc");
    assert_eq!(text("  <pre> a\r\n  b </pre>  "), "a b");
    assert_eq!(text("f<wbr>oo<img>bar"), "foo bar");
}

#[test]
fn what_is_not_shown_is_dropped() {
    let hidden = [
        "<!-- x -->",
        "<!doctype x>",
        "<?php echo '>'; ?>",
        "<![CDATA[x]]>",
        "<script>x</p></script>",
        "<script><!-- <script>x</script> x --></script>",
        "<style>x</style y='>'>",
        "<noscript><p>x</noscript>",
        "<template>x<template>x</template>x<b>x</b></template>",
        "<iframe><p>x</iframe>",
        "<title>x</title>",
        "<svg><title>x</title><style>x</style><script>x</script></svg>",
        "<svg><script/><style/><title/></svg>",
    ];
    for html in hidden {
        let shown = text(&format!("a{html}b")).replace(['\n', ' '], "");
        assert!(shown == "ab" || shown == "a';?>b", "{html}: {shown}");
    }
    assert_eq!(text("<textarea>a<b></textarea><option>c"), "a<b>\nc");
}

#[test]
fn what_is_left_open_ends_as_in_browsers() {
    assert_eq!(text("a<script>b<p>c"), "a");
    assert_eq!(text("a<!-- b <p>c"), "a");
    assert_eq!(text("a<p title='b <p>c"), "a");
    assert_eq!(text("a<b"), "a");
    assert_eq!(text("a<"), "a<");
    assert_eq!(text("a</"), "a</");
    assert_eq!(text("a<title>b<p>c"), "a");
    assert_eq!(text("a<textarea>b<p>c"), "a\nb<p>c");
    assert_eq!(text("a<plaintext>b</plaintext><p>c"), "a\nb</plaintext><p>c");
    assert_eq!(text("a<!-->b<!--->c<!>d</>e<1>f< >g"), "abcde<1>f< >g");
}

#[test]
fn references_are_decoded() {
    assert_eq!(
        text("&amp;&lt;&#x41;&#65&eacute;&notanentity;&copy2;&nbsp;x&"),
        "&<AAé¬anentity;©2;\u{a0}x&"
    );
    assert_eq!(text("&#xD800;&#0;&#99999999;"), "\u{fffd}\u{fffd}\u{fffd}");
    assert_eq!(text("<p title='&gt;'>&am<b>p;"), "&amp;");
}

#[test]
fn the_title_is_the_first_outside_drawings_and_templates() {
    let title = |html| extract(html).title;
    assert_eq!(title("<title> A &amp;\n<b> </title><title>C</title>").as_deref(), Some("A & <b>"));
    assert_eq!(title("<svg><title>x</title></svg><title>B</title>").as_deref(), Some("B"));
    assert_eq!(title("<template><title>x</title></template>"), None);
    assert_eq!(title("<title> </title>"), None);
    assert_eq!(title("<title>open").as_deref(), Some("open"));
}

#[test]
fn marks_cover_headings_emphasis_and_links() {
    let marks = |html: &str| -> Vec<(MarkKind, String)> {
        let page = extract(html);
        page.marks
            .iter()
            .map(|mark| (mark.kind, page.text[mark.start..mark.end].to_owned()))
            .collect()
    };
    let (heading, emphasis, link) = (MarkKind::Heading, MarkKind::Emphasis, MarkKind::Link);
    assert_eq!(
        marks("<h1> A <a href=x>b</a> </h2>c <b>d <i>e</b> f</i> g"),
        [(heading, "A b".into()), (link, "b".into()), (emphasis, "d e f".into())]
    );
    assert_eq!(marks("<a>x<a>y</a>z"), [(link, "x".into()), (link, "y".into())]);
    assert_eq!(marks("<b></b><b> </b></b><em>x"), [(emphasis, "x".into())]);
    assert_eq!(marks("<td><b>x<td>y"), [(emphasis, "x".into())]);
}

/// Feeding the same kind of page at two sizes must not cost much more than in proportion.
fn assert_linear(name: &str, page: impl Fn(usize) -> String) {
    let time = |html: &str| {
        let start = Instant::now();
        let page = extract(html);
        std::hint::black_box(page);
        start.elapsed()
    };
    let (small, large) = (page(20_000), page(200_000));
    let small = time(&small);
    let allowed = small * 60 + Duration::from_millis(500);
    // On a busy machine any single run may take long.
    let mut tries = (0..5).map(|_| time(&large));
    assert!(
        tries.any(|large| large < allowed),
        "{name}: {small:?}, and five times more than {allowed:?}"
    );
}

#[test]
fn pages_made_to_be_slow_are_read_in_linear_time() {
    let attributes = |n| (0..n).map(|i| format!("a{i}=b ")).collect::<String>();
    assert_linear("nested", |n| "<div>".repeat(n) + "x" + &"</div>".repeat(n));
    assert_linear("nested emphasis", |n| "<b><i>".repeat(n) + "x" + &"</b>".repeat(n));
    assert_linear("attributes", |n| format!("<p {}>x", attributes(n)));
    assert_linear("attributes of an end tag", |n| format!("<title>x</title {}>x", attributes(n)));
    assert_linear("attributes left open", |n| format!("<p {}", attributes(n)));
    assert_linear("references", |n| "&amp;&#65;&notanentity;&".repeat(n));
    assert_linear("one long reference", |n| format!("&{}", "a".repeat(10 * n)));
    assert_linear("tags left open", |n| "<a ".repeat(n));
    assert_linear("comments left open", |n| "<!-- x > ".repeat(n));
    assert_linear("bogus comments", |n| "<!x></ x><?x>".repeat(n));
    assert_linear("script ends", |n| format!("<script><!--<script>{}", "</script ".repeat(n)));
    assert_linear("false ends", |n| format!("<title>{}", "</titl </".repeat(n)));
    assert_linear("less-than signs", |n| "<".repeat(n));
    assert_linear("unknown names", |n| (0..n).map(|i| format!("<element{i}>x")).collect());
    assert_linear("one long name", |n| format!("<{}>x", "a".repeat(10 * n)));
    assert_linear("links", |n| "<a><h1>x".repeat(n));
    assert_linear("drawings", |n| "<svg><title>x".repeat(n));
    assert_linear("doctypes", |n| "<!doctype html PUBLIC \"x\" 'y'>".repeat(n));
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<",
        ">",
        "</",
        "/>",
        "<!--",
        "-->",
        "--!>",
        "<!",
        "<?",
        "]]>",
        "<![CDATA[",
        "<!DOCTYPE ",
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<a href='",
        "' x=\"",
        "\">",
        "=",
        "/",
        " ",
        "\n",
        "\r\n",
        "\0",
        "<script>",
        "</script>",
        "</script ",
        "<script",
        "<style>",
        "</style>",
        "<title>",
        "</title>",
        "<textarea>",
        "</textarea>",
        "<template>",
        "</template>",
        "<svg>",
        "</svg>",
        "<svg/>",
        "<plaintext>",
        "<h1>",
        "</h2>",
        "<td>",
        "&",
        "&amp",
        ";",
        "&#",
        "x41",
        "&notit;",
        "é",
        "漢",
        "text",
        "\u{feff}",
        "<ScRiPt>",
        "</TITLE\t>",
        "<noscript>",
        "<xmp>",
        "</xmp/>",
    ])
    .prop_map(str::to_owned);
    let piece = prop_oneof![6 => piece, 1 => "\\PC{0,4}"];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn malformed_html_is_read_with_valid_marks(html in soup()) {
        let page = extract(&html);
        prop_assert_eq!(&page, &extract(&html));
        prop_assert!(!page.text.starts_with([' ', '\n']) && !page.text.ends_with([' ', '\n']));
        for doubled in ["  ", " \n", "\n ", "\n\n"] {
            prop_assert!(!page.text.contains(doubled));
        }
        for mark in &page.marks {
            let marked = page.text.get(mark.start..mark.end);
            prop_assert!(marked.is_some_and(|text| !text.is_empty()));
        }
        prop_assert!(page.marks.is_sorted_by_key(|mark| (mark.start, std::cmp::Reverse(mark.end), mark.kind)));
        for kind in [MarkKind::Heading, MarkKind::Emphasis, MarkKind::Link] {
            let ends: Vec<_> = page.marks.iter().filter(|mark| mark.kind == kind).collect();
            prop_assert!(ends.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
