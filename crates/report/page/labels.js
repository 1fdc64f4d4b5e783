// Judgements of pairs, kept in this browser and exported for `lookalike evaluate --labels`.

const COLUMNS = ["a_id", "a_file", "a_record", "b_id", "b_file", "b_record", "label"];

class Labels {
  constructor(digest) {
    this.key = "lookalike.labels." + digest;
    this.rows = new Map();
    this.stored = true;
    try {
      for (const [key, row] of JSON.parse(localStorage.getItem(this.key) || "[]")) this.rows.set(key, row);
    } catch {
      this.stored = false;
    }
  }

  keyOf(a, b) {
    return [a.file, a.record, b.file, b.record].join(":");
  }

  of(a, b) {
    return this.rows.get(this.keyOf(a, b))?.[6] ?? null;
  }

  /** Sets or, with null, removes the label of a pair: the member and its leader. */
  set(a, b, label, sources) {
    const row = [a.id, sources[a.file], a.record, b.id, sources[b.file], b.record, label];
    if (label === null) this.rows.delete(this.keyOf(a, b)); else this.rows.set(this.keyOf(a, b), row);
    this.store();
  }

  clear() {
    this.rows.clear();
    this.store();
  }

  store() {
    try {
      localStorage.setItem(this.key, JSON.stringify([...this.rows]));
    } catch {
      this.stored = false;
    }
  }

  counts() {
    const labels = [...this.rows.values()].map((row) => row[6]);
    return ["same", "different"].map((name) => labels.filter((label) => label === name).length);
  }

  /** Tab-separated, escaped as in the tables, ordered by file and record. */
  file() {
    const escaped = (value) => String(value).replace(/[\\\t\n\r]/g, (c) => ({ "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" }[c]));
    const places = (key) => key.split(":").map(Number);
    const order = [...this.rows].sort(([x], [y]) => {
      const [a, b] = [places(x), places(y)];
      const at = a.findIndex((value, i) => value !== b[i]);
      return at < 0 ? 0 : a[at] - b[at];
    });
    return [COLUMNS, ...order.map(([, row]) => row)].map((row) => row.map(escaped).join("\t") + "\n").join("");
  }
}
