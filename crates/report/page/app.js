// The list of clusters: controls, pages, labels.

class App {
  constructor(index, root) {
    this.clusters = new Clusters(index);
    this.labels = new Labels(index.facts.digest);
    this.filters = { ...NOTHING };
    this.found = [];
    this.page = 0;
    this.asked = 0;
    this.parts = Object.fromEntries(Array.from(root.querySelectorAll("[data-part]"), (part) => [part.dataset.part, part]));
    this.fillChoices();
    this.listen();
    this.showLabels();
  }

  fillChoices() {
    const { source, rule } = this.parts;
    const { sources, facts } = this.clusters.index;
    // Of very many sources the first are offered; the numbers of the table lead to any of them.
    sources.slice(0, 1000).forEach((name, number) => source.append(element("option", { value: number }, line(name, 80))));
    facts.rules.forEach((name, number) => { if (name) rule.append(element("option", { value: number }, name)); });
  }

  listen() {
    const { q, source, rule, sort, per, clear, form, first, previous, next, last, place, save, forget } = this.parts;
    let timer = 0;
    q.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.change({ q: q.value }), 250);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(timer);
      this.change({ q: q.value });
    });
    source.addEventListener("change", () => this.change({ source: source.value }));
    rule.addEventListener("change", () => this.change({ rule: rule.value }));
    sort.addEventListener("change", () => this.change({ sort: sort.value }));
    per.addEventListener("change", () => this.turn(0));
    clear.addEventListener("click", () => this.change({ ...NOTHING }));
    first.addEventListener("click", () => this.turn(0));
    previous.addEventListener("click", () => this.turn(this.page - 1));
    next.addEventListener("click", () => this.turn(this.page + 1));
    last.addEventListener("click", () => this.turn(this.pages() - 1));
    place.addEventListener("change", () => this.turn(Number(place.value) - 1));
    save.addEventListener("click", () => this.saveLabels());
    forget.addEventListener("click", () => {
      if (!confirm("Remove all labels of this run from this browser?")) return;
      this.labels.clear();
      this.showLabels();
      this.turn(this.page);
    });
    window.addEventListener("hashchange", () => this.follow(true));
  }

  /** Lists what the address asks for. */
  follow(isAsked) {
    const filters = filtersOf(location.hash);
    if (!filters) {
      this.openPair();
      return false;
    }
    const done = this.list(filters);
    if (isAsked) this.parts.status.focus({ preventScroll: true });
    document.getElementById("clusters").scrollIntoView();
    return done;
  }

  /** Opens the pair that the address names. */
  openPair() {
    const pair = location.hash.startsWith("#pair-") ? document.getElementById(location.hash.slice(1)) : null;
    if (!pair) return;
    pair.open = true;
    pair.scrollIntoView();
  }

  change(some) {
    const filters = { ...this.filters, ...some };
    history.replaceState(null, "", hashOf(filters));
    return this.list(filters);
  }

  async list(filters) {
    this.filters = filters;
    const { q, source, rule, sort, status, asked } = this.parts;
    if (document.activeElement !== q) q.value = filters.q;
    [source.value, rule.value, sort.value] = [filters.source, filters.rule, filters.sort];
    asked.textContent = this.described();
    const turn = ++this.asked;
    const progress = (part) => { status.textContent = "Searching: " + Math.floor(part * 100) + " %"; };
    try {
      const found = await search(this.clusters, filters, progress, () => turn !== this.asked);
      if (found === null) return;
      this.found = found;
      this.turn(0);
    } catch (error) {
      status.textContent = String(error.message || error);
    }
  }

  /** What the controls do not show of the filters. */
  described() {
    const { bin, size, cluster } = this.filters;
    const { facts } = this.clusters.index;
    const parts = [];
    if (bin === "one") parts.push("with a member at exactly 1");
    else if (bin === "below") parts.push("with a member below the threshold");
    else if (bin !== "") {
      const width = (1 - facts.from) / facts.bins;
      parts.push("with a member from " + (facts.from + width * Number(bin)).toFixed(3) + " to below " + (facts.from + width * (Number(bin) + 1)).toFixed(3));
    }
    if (size !== "") parts.push("of " + size.replace("-", " to ") + " documents");
    if (cluster !== "") parts.push("number " + cluster);
    return parts.length === 0 ? "" : "Clusters " + parts.join(", ") + ".";
  }

  pages() {
    return Math.max(1, Math.ceil(this.found.length / Number(this.parts.per.value)));
  }

  turn(page) {
    const { list, status, first, previous, next, last, place, of, per } = this.parts;
    const pages = this.pages();
    this.page = Math.min(Math.max(Number.isFinite(page) ? Math.trunc(page) : 0, 0), pages - 1);
    const from = this.page * Number(per.value);
    const shown = this.found.slice(from, from + Number(per.value));
    list.replaceChildren(...shown.map((position) => clusterView(this, position)));
    const all = this.clusters.index.number.length;
    status.textContent = shown.length === 0
      ? "No cluster of " + count(all) + " matches."
      : count(from + 1) + " to " + count(from + shown.length) + " of " + counted(this.found.length, "cluster")
        + (this.found.length < all ? " that match, " + count(all) + " in all" : "");
    first.disabled = previous.disabled = this.page === 0;
    next.disabled = last.disabled = this.page === pages - 1;
    place.value = this.page + 1;
    place.max = pages;
    of.textContent = "of " + count(pages);
    if (shown.length === 1) list.firstChild.open = true;
  }

  showLabels() {
    const { labels, save, forget } = this.parts;
    const [same, different] = this.labels.counts();
    labels.textContent = "Labels: " + count(same) + " same, " + count(different) + " different."
      + (this.labels.stored ? "" : " This browser does not keep them: save them before you close the page.");
    save.disabled = forget.disabled = same + different === 0;
  }

  saveLabels() {
    const address = URL.createObjectURL(new Blob([this.labels.file()], { type: "text/tab-separated-values" }));
    const link = element("a", { href: address, download: "labels.tsv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }
}

async function start() {
  const root = document.getElementById("browser");
  const notice = document.getElementById("notice");
  if (!root) return;
  if (!("DecompressionStream" in window)) {
    notice.textContent = "This browser is too old to decompress the list of all clusters (DecompressionStream is missing): only the largest are shown. The table of clusters has all.";
    return;
  }
  try {
    const app = new App(await loadIndex(), root);
    await (app.follow(false) || app.list({ ...NOTHING }));
    notice.remove();
    document.getElementById("largest").remove();
    root.hidden = false;
    if (filtersOf(location.hash)) document.getElementById("clusters").scrollIntoView();
    document.body.dataset.ready = "yes";
  } catch (error) {
    notice.textContent = String(error.message || error) + " Only the largest clusters are shown.";
  }
}

start();
