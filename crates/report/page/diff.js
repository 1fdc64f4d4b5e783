// Word differences of two excerpts: a longest common subsequence of words.

/** Words compared of each side; the rest of a text is shown unmarked. */
const WORDS = 1500;

const TOKEN = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]|[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+/gu;

/** The same where each symbol is a token: only white space is between tokens. */
const SYMBOL_TOKEN = new RegExp(TOKEN.source.replace(/[^|]*$/, "[^\\p{L}\\p{M}\\p{N}\\s]\\p{M}*|\\s+"), "gu");

/** Tokens of the analysis and what is between them, in order; `key` is null for the latter. */
function tokens(text, { symbols, keepsCase }) {
  const isToken = symbols ? /\S/u : /[\p{L}\p{N}]/u;
  const key = (part) => (keepsCase ? part : part.toLowerCase()).normalize("NFKC");
  return Array.from(text.matchAll(symbols ? SYMBOL_TOKEN : TOKEN), ([part]) => ({ part, key: isToken.test(part) ? key(part) : null }));
}

/**
 * Which words of each side are not on the other: two arrays of booleans. O(n·m) time; one bit of
 * direction would do, but the lengths are short enough to be kept.
 */
function onlyOneSide(a, b) {
  const width = b.length + 1;
  const longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j]
        ? longest[(i + 1) * width + j + 1] + 1
        : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const [left, right] = [new Array(a.length).fill(true), new Array(b.length).fill(true)];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) { left[i++] = false; right[j++] = false; }
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) i++;
    else j++;
  }
  return [left, right];
}

/** The children of a text with its marked words in `mark` elements. */
function marked(parts, changed, mark) {
  const children = [];
  let open = null, word = 0, between = "";
  for (const { part, key } of parts) {
    const shown = visible(part);
    if (key === null) { between += shown; continue; }
    const isChanged = word < changed.length && changed[word];
    word++;
    if (isChanged && open) { open.append(between, shown); }
    else {
      if (between) children.push(between);
      if (isChanged) { open = element(mark, null, shown); children.push(open); }
      else { children.push(shown); open = null; }
    }
    between = "";
  }
  if (between) children.push(between);
  return children;
}

/**
 * The two texts side by side, and the number of words on one side only. None is where the run found
 * the same words: excerpts of them end in different places.
 */
function compareTexts(leader, member, facts, areEqual) {
  const sides = [member, leader].map((text) => tokens(text, facts));
  const keys = sides.map((side) => side.filter(({ key }) => key !== null).map(({ key }) => key).slice(0, WORDS));
  const [removed, added] = areEqual ? [[], []] : onlyOneSide(...keys);
  return {
    left: marked(sides[0], removed, "del"),
    right: marked(sides[1], added, "ins"),
    different: [...removed, ...added].filter(Boolean).length,
  };
}
