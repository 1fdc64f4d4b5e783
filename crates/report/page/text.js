// Untrusted text: shown as text, with what has an effect instead of a glyph made visible.
// The rules are those of clean.rs.

/** One character as it may be shown. */
function visibleCharacter(c) {
  const code = c.codePointAt(0);
  if (c === "\n" || c === "\t") return c;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code >= 0x80 && code <= 0x9f) return "\ufffd";
  if (HIDDEN.test(c)) return "\u27e8U+" + code.toString(16).toUpperCase().padStart(4, "0") + "\u27e9";
  if ((code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe) return "\ufffd";
  return c;
}

// Direction marks, overrides and isolates; invisible operators; the byte order mark; tags.
const HIDDEN = /[\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
// Everything that visibleCharacter may change.
const SUSPECT = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\uffff\u{1fffe}-\u{10ffff}]/u;

/** A text as it may be shown, line breaks kept. */
function visible(text) {
  return SUSPECT.test(text) ? Array.from(text, visibleCharacter).join("") : text;
}

/** A name on one line, with at most `limit` characters. */
function line(text, limit) {
  const plain = text.replace(/\s+/gu, " ").trim();
  const letters = Array.from(plain.slice(0, 2 * limit + 2));
  const cut = letters.length > limit;
  return visible(cut ? letters.slice(0, limit).join("") + "…" : plain);
}

/** `1234567` is `1,234,567`. */
function count(number) {
  return number.toLocaleString("en-US");
}

/** `1 cluster`, `2 clusters`. */
function counted(number, noun) {
  return count(number) + " " + noun + (number === 1 ? "" : "s");
}

/** A similarity with four decimals, rounded down, so that 0.99999 is not 1. */
function ratio(value) {
  if (value === null || value === undefined) return "–";
  return (Math.floor(value * 10000 + 1e-6) / 10000).toFixed(4);
}

/** An element with attributes or properties, and children that are elements or texts. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "onclick") made.addEventListener("click", value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}
