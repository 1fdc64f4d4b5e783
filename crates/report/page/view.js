// One cluster: its leader, its members, their comparison and their labels.

/** A cluster of the list, with its documents when it is opened. */
function clusterView(app, position) {
  const index = app.clusters.index;
  const name = line(index.title[position] || index.id[position], 160);
  const similarity = index.facts.measure + " from " + ratio(index.least[position]) + ", mean " + ratio(index.mean[position]);
  const body = element("div", { class: "cluster-body" });
  const view = element("details", { class: "cluster" },
    element("summary", null,
      element("span", { class: "score" }, element("b", null, count(index.size[position])), element("span", { class: "quiet" }, "documents")),
      element("span", { class: "name", dir: "auto" }, name),
      element("span", { class: "quiet" }, similarity)),
    body);
  view.addEventListener("toggle", () => {
    if (view.open && !body.hasChildNodes()) fill(app, position, body);
  });
  return view;
}

async function fill(app, position, body) {
  body.append(element("p", { class: "quiet" }, "Loading …"));
  try {
    const cluster = await app.clusters.cluster(position);
    body.replaceChildren(...clusterBody(app, position, cluster));
  } catch (error) {
    body.replaceChildren(element("p", { class: "bad" }, String(error.message || error)));
  }
}

function clusterBody(app, position, { url, hidden, documents }) {
  const index = app.clusters.index;
  const [leader, ...members] = documents;
  const about = element("p", { class: "quiet" }, "Cluster " + count(index.number[position]) + ". Leader: ",
    element("bdi", null, element("b", null, line(leader.id, 200))), " in ", element("bdi", null, line(index.sources[leader.file] || "", 160)),
    ", record " + count(leader.record));
  if (url) about.append(", ", element("a", { href: url, rel: "noopener noreferrer nofollow" }, url));
  const parts = [about];
  if (leader.text) {
    parts.push(element("blockquote", { dir: "auto" }, line(leader.text, 320)));
  }
  parts.push(element("ul", { class: "members" }, ...members.map((member) => memberView(app, leader, member))));
  if (hidden > 0) parts.push(element("p", { class: "quiet" }, "and " + count(hidden) + " more, in the table of clusters"));
  return parts;
}

const RULES = { lexically_equivalent: "lexically equivalent", feature_equivalent: "feature-equivalent", near: "near-duplicate", component: "in one component", sketch: "by sketches only", key: "by a common key only" };

function memberView(app, leader, member) {
  const index = app.clusters.index;
  const id = line(member.id, 200);
  const facts = [ratio(member.similarity), RULES[member.rule] || member.rule, line(index.sources[member.file] || "", 160) + ", record " + count(member.record)];
  const comparison = element("div", { class: "comparison", hidden: true });
  const compare = element("button", { type: "button", "aria-expanded": "false", "aria-label": "Compare " + id + " with the leader" }, "Compare");
  compare.addEventListener("click", () => {
    if (!comparison.hasChildNodes()) comparison.append(...comparisonOf(app, leader, member));
    comparison.hidden = !comparison.hidden;
    compare.setAttribute("aria-expanded", String(!comparison.hidden));
  });
  return element("li", null,
    element("div", { class: "member" },
      element("div", null, element("bdi", { class: "id" }, id),
        member.title || member.text ? element("bdi", { class: "title" }, line(member.title || member.text, 160)) : null,
        element("span", { class: "quiet" }, facts.join(" · "))),
      element("div", { class: "actions" }, compare, ...labelButtons(app, leader, member, id))),
    comparison);
}

function labelButtons(app, leader, member, id) {
  const buttons = ["same", "different"].map((label) => element("button", { type: "button", class: label, "data-label": label,
    "aria-label": (label === "same" ? "Same as the leader: " : "Different from the leader: ") + id }, label === "same" ? "Same" : "Different"));
  const show = () => {
    const label = app.labels.of(member, leader);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.label === label));
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const label = app.labels.of(member, leader) === button.dataset.label ? null : button.dataset.label;
      app.labels.set(member, leader, label, app.clusters.index.sources);
      show();
      app.showLabels();
    });
  }
  show();
  return buttons;
}

/** The texts of a member and its leader side by side, as far as the page has them. */
function comparisonOf(app, leader, member) {
  if (member.rule === "identical") return [element("p", { class: "quiet" }, "The text is the leader's, byte for byte.")];
  if (!leader.text || !member.text) {
    return [element("p", { class: "quiet" }, "This page has no texts of these documents; ", element("code", null, "lookalike explain A B --run DIR"), " compares them.")];
  }
  const { facts } = app.clusters.index;
  const areEqual = member.rule === "lexically_equivalent";
  const compared = compareTexts(leader.text, member.text, facts, areEqual);
  const what = facts.symbols ? "token" : "word";
  const cut = leader.whole > 0 || member.whole > 0;
  const gone = facts.gone;
  const length = (document, text) => (document.whole > 0 ? "the first " + count(text) + " of " + count(document.whole) + " bytes" : "whole text");
  const bytes = (text) => new TextEncoder().encode(text).length;
  const head = (document, tag, kind) => element("div", { class: "head" }, element("b", { class: kind }, tag), " ",
    element("bdi", null, line(document.id, 120)), " ", element("span", { class: "quiet" }, length(document, bytes(document.text))));
  const note = areEqual
    ? "The " + what + "s are the leader's, in the same order. "
    : compared.different === 0
    ? (cut ? "No " + what + " differs in the part shown here; " : "No " + what + " differs. ")
    : counted(compared.different, what) + " on one side only" + (cut ? " in the part shown here; " : ". ");
  return [
    element("p", { class: "quiet" }, note, ...(cut ? [element("code", null, "lookalike explain A B --run DIR"), " compares the whole texts."] : [])),
    element("div", { class: "sides" }, head(member, gone, "tag gone"), head(leader, "kept", "tag"),
      element("div", { class: "text", dir: "auto" }, ...compared.left), element("div", { class: "text", dir: "auto" }, ...compared.right)),
  ];
}
