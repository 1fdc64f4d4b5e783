// What is listed: search, filters and order of the clusters.

const NOTHING = { q: "", source: "", rule: "", bin: "", size: "", cluster: "", sort: "size" };

/** Filters from `#clusters:rule=0&q=text`; null if the address is another. */
function filtersOf(hash) {
  if (!hash.startsWith("#clusters:")) return null;
  const given = new URLSearchParams(hash.slice("#clusters:".length));
  const filters = { ...NOTHING };
  for (const name of Object.keys(filters)) filters[name] = given.get(name) ?? filters[name];
  return filters;
}

function hashOf(filters) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== NOTHING[name]) given.set(name, value);
  return "#clusters" + (given.size === 0 ? "" : ":" + given);
}

const ORDERS = {
  size: null,
  small: (index) => (a, b) => index.size[a] - index.size[b] || a - b,
  least: (index) => (a, b) => index.least[a] - index.least[b] || a - b,
  most: (index) => (a, b) => index.mean[b] - index.mean[a] || a - b,
  id: (index) => (a, b) => (index.id[a] < index.id[b] ? -1 : index.id[a] > index.id[b] ? 1 : a - b),
};

/** The bin of the histogram of similarities that a member is in, as SimilarityHistogram::add. */
function binOf(similarity, facts) {
  if (similarity === null) return null;
  if (similarity >= 1) return "one";
  const scaled = (value) => Math.round(Math.max(value, 0) * 1e9);
  const [value, from] = [scaled(similarity), scaled(facts.from)];
  if (value < from || facts.bins === 0) return "below";
  return String(Math.min(Math.floor((value - from) * facts.bins / (1e9 - from)), facts.bins - 1));
}

/** Whether the row of the index can match. */
function rowMatches(index, at, filters) {
  if (filters.rule !== "" && !(index.rules[at] >> Number(filters.rule) & 1)) return false;
  if (filters.source !== "" && !index.files[at].includes(Number(filters.source))) return false;
  if (filters.cluster !== "" && index.number[at] !== Number(filters.cluster)) return false;
  if (filters.size !== "") {
    const [least, most] = filters.size.split("-").map(Number);
    if (index.size[at] < least || index.size[at] > most) return false;
  }
  return true;
}

/** Whether the documents of a cluster match what the index does not have. */
function documentsMatch(documents, filters, facts) {
  if (filters.bin !== "" && !documents.some((row) => binOf(row[6], facts) === filters.bin)) return false;
  const q = filters.q.toLowerCase();
  return q === "" || documents.some((row) => [row[0], row[3], row[4]].some((text) => text.toLowerCase().includes(q)));
}

/**
 * The positions of the clusters that match, in order. `progress` is told the part that was
 * searched, and `stopped` asks whether the answer is still wanted.
 */
async function search(clusters, filters, progress, stopped) {
  const index = clusters.index;
  let found = [];
  for (let at = 0; at < index.number.length; at++) if (rowMatches(index, at, filters)) found.push(at);
  if (filters.q.trim() !== "" || filters.bin !== "") {
    const trimmed = { ...filters, q: filters.q.trim() };
    const matching = [];
    for (let from = 0; from < found.length;) {
      const number = clusters.blockOf(found[from]);
      const rows = await clusters.block(number);
      if (stopped()) return null;
      progress(from / found.length);
      for (; from < found.length && clusters.blockOf(found[from]) === number; from++) {
        const row = rows[found[from] - index.blocks[number]];
        if (documentsMatch(row.d, trimmed, index.facts)) matching.push(found[from]);
      }
    }
    found = matching;
  }
  const order = ORDERS[filters.sort];
  return order ? found.sort(order(index)) : found;
}
