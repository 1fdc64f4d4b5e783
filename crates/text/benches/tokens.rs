//! Megabytes a second of the analysis on one core: `cargo bench -p lookalike-text [-- FILE…]`.
//!
//! Without files, on text made here. A figure is the best of several rounds over the same text.
//!
//! In November 2026, on one core of a shared x86-64 machine (baseline SSE2 build), NFC, words: ASCII
//! 830 to 1110 MB/s over three runs, two of three words accented 80 to 150, Cyrillic 120, Han and Kana
//! 120, Thai 150.
//! Extraction: web pages 240 MB/s, a page of little but tags and references 70.

use lookalike_text::{AnalysisSettings, Analyzer, Normalize, Scratch, Unit, extract};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: u32 = 7;
const SIZE: usize = 8 << 20;

fn main() {
    // `cargo test --benches` runs this too: then only once, and briefly.
    let size = if std::env::args().any(|arg| arg == "--bench") { SIZE } else { 1 << 12 };
    let files: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    for file in &files {
        match std::fs::read(file) {
            Ok(bytes) => measure(file, &String::from_utf8_lossy(&bytes)),
            Err(error) => eprintln!("{file}: {error}"),
        }
    }
    if !files.is_empty() {
        return;
    }
    let words = ["the", "Quick", "brown", "fox", "jumps,", "over", "a", "lazy", "dog's", "2024."];
    measure("ASCII", &made(&words, size));
    let html = [
        "<p class=\"lead\">The quick",
        "brown <b>fox</b>",
        "</p>",
        "&amp; jumps over the lazy dog",
    ];
    measure("HTML", &made(&html, size));
    let accents = ["le", "Garçon", "brûle", "un", "pain,", "déjà", "sec", "dans", "la", "Forêt."];
    measure("one stretch in two accented", &made(&accents, size));
    let cyrillic = ["Быстрая", "лиса", "и", "ленивая", "собака,", "прыгает", "через", "2024"];
    measure("Cyrillic", &made(&cyrillic, size));
    measure("Han and Kana", &made(&["日本国民は、", "正当に選挙された", "カタカナ"], size));
    measure("Thai", &made(&["มนุษย์ทั้งหลายเกิดมามีอิสระ"], size));
}

/// Words in an order that repeats late.
fn made(words: &[&str], size: usize) -> String {
    let mut text = String::with_capacity(size + 64);
    let mut state = 1u64;
    while text.len() < size {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.push_str(words[(state >> 33) as usize % words.len()]);
        text.push(' ');
    }
    text
}

fn measure(name: &str, text: &str) {
    println!("{name}: {} bytes", text.len());
    for (normalize, unit) in [
        (Normalize::None, Unit::Word),
        (Normalize::Nfc, Unit::Word),
        (Normalize::Nfkc, Unit::Word),
        (Normalize::Nfc, Unit::Char),
    ] {
        let analyzer =
            Analyzer::new(&AnalysisSettings { normalize, unit, ..AnalysisSettings::default() });
        let mut scratch = Scratch::default();
        let mut tokens = 0u64;
        let label = format!("{normalize:?}, {unit:?}");
        time(&label, text.len(), || {
            tokens = 0;
            analyzer.tokens(text, &mut scratch, |token| {
                tokens += 1;
                black_box(token);
            });
        });
        println!("    {:.1} bytes a token", text.len() as f64 / tokens.max(1) as f64);
    }
    time("extract", text.len(), || drop(black_box(extract(text))));
}

fn time(label: &str, bytes: usize, mut work: impl FnMut()) {
    let best = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    println!("  {label}: {:.0} MB/s", bytes as f64 / best / 1e6);
}
