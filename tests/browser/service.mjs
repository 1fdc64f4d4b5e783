// Uses the page of `lookalike serve` in Chromium.
//
//   node service.mjs WORK CHROMIUM [SCREENSHOTS]
//
// WORK has what service.py makes; services.json has the addresses: `whole` (texts, passages, sweeps), `lean` (without
// texts, read only), `guarded` (with tokens, read only).
import fs from "node:fs";
import path from "node:path";
import { axeFindings, Checks, headless, installed, overflow, tabTo } from "./helpers.mjs";

const [work, chromium, shots] = process.argv.slice(2);
const { playwright, axe } = installed(work);
const services = JSON.parse(fs.readFileSync(path.join(work, "services.json"), "utf8"));
const rows = (name) => fs.readFileSync(path.join(work, name), "utf8").trim().split("\n").map((row) => JSON.parse(row));
const documents = rows("first.jsonl");
const checks = new Checks();
const check = (...given) => checks.check(...given);
const browser = await playwright.chromium.launch(headless(chromium));

// A busy machine is slow.
const patient = { headers: { "deadline-ms": "60000" }, timeout: 60_000 };
const query = (path, parameters) => path + "?" + new URLSearchParams(parameters);

/** Opens a view, and collects what goes wrong on it. */
async function open(address, { service = "whole", width = 1400, scheme = "light", script = true, context } = {}) {
  const own = context ?? (await browser.newContext({ javaScriptEnabled: script, colorScheme: scheme, viewport: { width, height: 900 } }));
  const page = await own.newPage();
  page.own = own;
  page.errors = [];
  page.on("console", (message) => { if (message.type() === "error" && !/the server responded with a status of [45]/.test(message.text())) page.errors.push(message.text()); });
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("request", (request) => { if (!request.url().startsWith(services[service]) && !request.url().startsWith("data:")) page.errors.push("elsewhere: " + request.url()); });
  page.on("dialog", (dialog) => { page.errors.push("dialog: " + dialog.message()); dialog.dismiss(); });
  page.answer = await page.goto(services[service] + address);
  return page;
}

async function close(page, name) {
  check(`${name}: no error, no dialog, no breach of the policy`, page.errors.length === 0, page.errors);
  await page.own.close();
}

const story = documents[9].text;
const hostile = documents.find((document) => document.id.startsWith("hostile"));
const VIEWS = {
  start: "/",
  search: query("/search", { text: story.slice(0, 700), ask: "containing", threshold: "0.5" }),
  nothing: query("/search", { text: "no such words are anywhere in it" }),
  wrong: query("/search", { id: "no such document" }),
  document: query("/document", { id: "s3-1" }),
  hostile: query("/document", { id: hostile.id }),
  line: query("/document", { id: "long-line" }),
  compare: query("/compare", { a: "s3-2", b: "s3-0" }),
  choose: "/compare",
  passages: query("/passages", { text: documents[9].text.slice(0, 400) + " and new words between " + documents[12].text.slice(100, 500) }),
  own: query("/passages", { id: "s3-1" }),
  filter: "/filter",
  judged: query("/filter", { message: story, plain: "yes", title: "Story number 3" }),
  review: "/review",
  chosen: query("/review", { a: "s3-2", b: "s3-0", seed: "2", documents: "50" }),
  sweeps: "/sweeps",
  changes: query("/sweeps/diff", { from: "may", to: "june" }),
  gone: query("/sweeps/diff", { from: "may", to: "june", only: "gone" }),
  history: query("/history", { url: "https://site1.example/story/3" }),
  about: "/about",
};

const OF_RUN = {
  run: "/",
  "run-cluster": query("/document", { id: "s3-1" }),
  "run-texts": query("/texts", { text: "alert(1)" }),
  "run-compare": query("/compare", { a: "s3-1", b: "s3-0" }),
};

// Every view at every width and in every scheme.
for (const [name, address] of [...Object.entries(VIEWS), ...Object.entries(OF_RUN)]) {
  const service = name in OF_RUN ? "run" : "whole";
  for (const width of [400, 1400]) {
    for (const scheme of ["light", "dark"]) {
      const what = `${name} ${width} ${scheme}`;
      const page = await open(address, { service, width, scheme });
      const found = await axeFindings(page, axe);
      check(`${what}: axe finds nothing`, found.length === 0, found);
      const wide = await overflow(page);
      check(`${what}: nothing is cut off or too wide`, wide === "", wide);
      if (shots) await page.screenshot({ path: path.join(shots, `${what.replaceAll(" ", "-")}.png`), fullPage: name !== "line" });
      await close(page, what);
    }
  }
}

// Each view says what it is about.
{
  const page = await open(VIEWS.search);
  check("search: the documents that contain the text come first", /^\d+ documents$/.test(await page.locator("#found").innerText()), await page.locator("#found").innerText());
  const links = await page.locator(".hit .name").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  check("search: the story is found", links.includes("/document?id=s3-0"), links);
  const scores = (await page.locator(".hit .score b").allInnerTexts()).map(Number);
  check("search: the best first", scores.length > 3 && scores.every((score, at) => at === 0 || scores[at - 1] >= score), scores);
  await page.locator(".hit a.button").first().click();
  check("search: compares the text with a document", (await page.locator("h1").innerText()) === "What differs?" && page.url().includes("/compare?text="), page.url());
  check("compare: the texts are side by side", (await page.locator(".sides .text").count()) >= 2);
  await close(page, "search");
}
{
  const page = await open(VIEWS.compare);
  check("compare: differences are marked", (await page.locator(".sides del").count()) > 0 && (await page.locator(".sides ins").count()) > 0);
  const values = await page.locator(".measures b").allInnerTexts();
  const stored = await (await page.request.get(services.whole + "/v1/documents/s3-2/explain?other=s3-0", patient)).json();
  const expected = ["resemblance", "containment_a_in_b", "containment_b_in_a"].map((name) => (Math.floor(stored.measures[name] * 1e4 + 1e-6) / 1e4).toFixed(4));
  check("compare: the measures are those of the endpoint", values.join() === expected.join(), { values, expected });
  await page.getByText("swap the sides").click();
  check("compare: sides are swapped", page.url().endsWith("/compare?a=s3-0&b=s3-2"), page.url());
  await close(page, "compare");
}
check("an unknown document is not found", (await (await open(query("/document", { id: "nobody's" }))).answer.status()) === 404);

// Any id has its document, whatever it is made of.
for (const { id, text } of documents.slice(-11)) {
  const page = await open(query("/document", { id }));
  const shown = await page.locator(".whole-text").innerText();
  check(`${id.slice(0, 20)}: is shown`, page.answer.status() === 200 && shown.slice(0, 20) === text.slice(0, 20), shown.slice(0, 60));
  check(`${id.slice(0, 20)}: nothing of it acts`, (await page.locator("main script, main img, main b b").count()) === 0 && !/[\u202e\0\x1b]/.test(await page.locator("main").innerText()));
  check(`${id.slice(0, 20)}: its address is no link`, (await page.locator('a[href^="javascript"]').count()) === 0);
  await close(page, id.slice(0, 20));
}
{
  const page = await open(query("/document", { id: "long" }));
  const before = (await page.locator(".whole-text").innerText()).length;
  await page.getByText("Show the whole text").click();
  await page.waitForLoadState();
  const after = (await page.locator(".whole-text").innerText()).length;
  check("a long text is cut, and is there as a whole", before < 21_000 && after > 3_000_000, { before, after });
  await close(page, "long");
}

// Passages: which parts, from where.
{
  const page = await open(VIEWS.passages);
  const sources = await page.locator(".sources .name").allInnerTexts();
  check("passages: both stories are sources", sources.some((name) => name.startsWith("s3-")) && sources.some((name) => name.startsWith("s4-")), sources);
  const marked = await page.locator(".whole-text a.found").allInnerTexts();
  check("passages: their parts are marked", marked.length >= 2 && marked.join(" ").length > 600, marked);
  check("passages: what is new is not", !marked.join(" ").includes("and new words between"), marked);
  check("passages: and shown on the strip", (await page.locator(".strip .found").count()) === marked.length);
  await page.locator(".whole-text a.found").first().click();
  check("passages: a part leads to its document", page.url().includes("/document?id=s3-"), page.url());
  await close(page, "passages");
}

// The filter: three reports make a message spam.
{
  const offer = fs.readFileSync(path.join(work, "offer.eml"), "utf8");
  const page = await open("/filter");
  await page.locator("[name=message]").first().fill(offer);
  await page.getByText("Judge", { exact: true }).click();
  check("filter: nothing is known of it", (await page.locator("#verdict").innerText()).startsWith("It matches nothing"));
  for (const reporter of ["ann", "bob", "carl"]) {
    await page.locator("[name=reporter]").fill(reporter);
    await page.getByText("Report as spam").click();
    await page.locator("[role=status]").waitFor();
    await page.waitForFunction((reporter) => document.querySelector("[name=reporter]").value === reporter, reporter);
  }
  check("filter: three reports are enough", (await page.locator("#verdict").innerText()) === "Spam" && (await page.locator("main").innerText()).includes("3 as spam, 0 as legitimate"), await page.locator("main").innerText());
  check("filter: the reasons are shown", (await page.locator(".passages blockquote").count()) > 0);
  await page.getByText("Report as spam").click();
  await page.waitForFunction(() => document.querySelector("[role=status]").textContent.includes("said so before"));
  const findings = await axeFindings(page, axe);
  check("filter: axe finds nothing in a verdict", findings.length === 0, findings);
  if (shots) await page.screenshot({ path: path.join(shots, "verdict.png"), fullPage: true });
  const judged = await (await page.request.post(services.whole + "/v1/filter", { headers: { ...patient.headers, "content-type": "message/rfc822" }, data: offer })).json();
  check("filter: the endpoint says the same", judged.verdict === "spam" && judged.reports.spam === 3, judged);
  await page.locator("[name=reporter]").fill("postmaster");
  await page.getByText("Report as legitimate").click();
  await page.waitForFunction(() => document.querySelector("#verdict").textContent === "Legitimate");
  await close(page, "filter");
  const lean = await open("/filter", { service: "lean" });
  await lean.locator("[name=message]").fill(offer);
  await lean.getByText("Judge", { exact: true }).click();
  check("filter: who only reads takes no reports", (await lean.locator("[name=report]").count()) === 0 && (await lean.locator("main").innerText()).includes("only reads"));
  await close(lean, "filter, read only");
  const post = await fetch(services.whole + "/filter/report", { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://evil.example" }, body: "message=x&plain=yes&reporter=e&report=ham" });
  check("filter: another site reports nothing", post.status === 403);
}

// Review: pairs are judged by keyboard, and kept in the file that `evaluate` reads.
{
  const file = path.join(work, "review-labels.tsv");
  const page = await open("/review");
  const waiting = async () => (await page.locator(".queue li").count());
  const before = await page.locator("#said + p").innerText();
  check("review: nothing is judged yet", before.startsWith("0 same, 0 different") && (await waiting()) > 1, before);
  const pair = async () => JSON.stringify([await page.locator("[name=a]").inputValue(), await page.locator("[name=b]").inputValue()]);
  const judged = [];
  for (const key of ["s", "d"]) {
    judged.push([...JSON.parse(await pair()), key === "s" ? "same" : "different"]);
    check("review: the keys of the form work at once", await page.evaluate(() => document.activeElement.matches("form.judge")));
    const now = await pair();
    await page.keyboard.press(key);
    await page.waitForFunction((now) => JSON.stringify([document.querySelector("[name=a]")?.value, document.querySelector("[name=b]")?.value]) !== now, now);
  }
  check("review: the judgements are counted", (await page.locator("#said + p").innerText()).startsWith("1 same, 1 different"));
  const kept = () => fs.readFileSync(file, "utf8").trim().split("\n").map((row) => row.split("\t"));
  check("review: and are in the file", kept()[0].join() === "a_id,b_id,label" && judged.every((row) => kept().some((own) => own.join() === row.join())), { kept: kept(), judged });
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("Save labels.tsv").click()]);
  check("review: which is what is saved", fs.readFileSync(await download.path(), "utf8") === fs.readFileSync(file, "utf8"));
  await page.goto(services.whole + query("/review", { a: judged[0][0], b: judged[0][1] }));
  check("review: a judgement is shown", (await page.locator("button.same").getAttribute("aria-pressed")) === "true");
  await page.locator("button.different").focus();
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  check("review: and can be changed", kept().length === 3 && kept().slice(1).every((row) => row[2] === "different"), kept());
  await close(page, "review");
  const lean = await open("/review", { service: "lean" });
  check("review: without a file nothing can be judged", (await lean.locator("form.judge").count()) === 0 && (await lean.locator("main").innerText()).includes("keeps no labels"));
  await close(lean, "review without labels");
}

// Sweeps: the counts are those of the endpoint, and lead to their pages.
{
  const page = await open(VIEWS.changes);
  const lines = (await (await page.request.get(services.whole + "/v1/sweeps/may/diff/june", patient)).text()).trim().split("\n").map((line) => JSON.parse(line));
  const { counts } = lines.at(-1);
  const tiles = await page.locator(".tile").evaluateAll((all) => all.map((tile) => tile.querySelector("b").textContent.trim()));
  check("sweeps: the counts are those of the endpoint", tiles.map(Number).reduce((a, b) => a + b) === Object.values(counts).reduce((a, b) => a + b), { tiles, counts });
  check("sweeps: pages changed, moved and went", ["heavy", "moved", "gone"].every((kind) => counts[kind] > 0), counts);
  await page.getByRole("link", { name: String(counts.moved), exact: true }).first().click();
  await page.waitForURL("**only=moved");
  check("sweeps: as many pages as the number says", (await page.locator(".hit").count()) === counts.moved, counts);
  check("sweeps: a moved page has its new address", (await page.locator(".hit").first().innerText()).includes("→ https://"));
  await page.locator(".hit a.button").first().click();
  check("sweeps: its versions are compared", (await page.locator("h1").innerText()) === "What differs?");
  await page.goto(services.whole + VIEWS.history);
  check("history: a row for each sweep", (await page.locator("#versions + ol .hit").count()) === 2);
  await page.goto(services.lean + "/sweeps");
  check("sweeps: an index without any says so", (await page.locator("main").innerText()).includes("has no sweeps"));
  page.errors.length = 0;
  await close(page, "sweeps");
}

// By keyboard alone: search, result, comparison.
{
  const page = await open("/");
  check("keyboard: the field has the focus", await page.evaluate(() => document.activeElement.name === "text"));
  await page.keyboard.insertText(story.slice(0, 500));
  check("keyboard: the threshold is reached", await tabTo(page, "[name=threshold]"));
  await page.keyboard.type("0.1");
  await Promise.all([page.waitForURL("**/search?text=**"), page.keyboard.press("Enter")]);
  check("keyboard: a result is reached", await tabTo(page, ".hit .name"));
  await Promise.all([page.waitForURL("**/document?**"), page.keyboard.press("Enter")]);
  check("keyboard: a comparison is reached", await tabTo(page, "a.button[href^='/compare']"));
  await Promise.all([page.waitForURL("**/compare?**"), page.keyboard.press("Enter")]);
  await page.goto(services.whole + "/about");
  await page.keyboard.press("Tab");
  check("keyboard: the navigation can be skipped", (await page.evaluate(() => document.activeElement.className)) === "skip");
  await page.keyboard.press("Enter");
  check("keyboard: and is", await page.evaluate(() => document.activeElement.id === "main"));
  await close(page, "keyboard");
}

// Without a script.
{
  const page = await open("/", { script: false });
  await page.locator("[name=id]").fill("s3-1");
  await page.locator("button.main").click();
  check("no script: a document is asked about", page.url() === services.whole + "/search?id=s3-1" && (await page.locator(".hit").count()) > 0, page.url());
  const long = story + " " + "word ".repeat(1000);
  await page.locator("[name=id]").fill("");
  await page.locator("[name=text]").fill(long);
  await page.locator("[name=ask]").selectOption("contained-in");
  await page.locator("button.main").click();
  check("no script: a text that is too long for an address is asked about", page.url() === services.whole + "/search" && (await page.locator(".hit").count()) > 0, page.url());
  check("no script: and is still there", (await page.locator("[name=text]").inputValue()) === long);
  await close(page, "no script");
}

// Without texts, and read only.
{
  const page = await open(query("/document", { id: "s3-1" }), { service: "lean" });
  check("no texts: the document says so", (await page.locator("main").innerText()).includes("created without texts"));
  await page.goto(services.lean + VIEWS.search);
  check("no texts: a search has its matches", (await page.locator(".hit").count()) > 0);
  const answer = await page.goto(services.lean + VIEWS.compare);
  check("no texts: a comparison is refused with the reason", answer.status() === 400 && (await page.locator("[role=alert]").innerText()).includes("without texts"));
  await close(page, "no texts");
}

// What is sent along with every view.
{
  const page = await open("/");
  const headers = await page.answer.allHeaders();
  check("the policy forbids what is not the page's own", headers["content-security-policy"] === "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'", headers);
  check("types are not guessed", headers["x-content-type-options"] === "nosniff");
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.broken = 1";
    document.body.append(script);
    return window.broken;
  });
  check("another script does not run", ran === undefined);
  await page.own.close();
  const post = (headers) => fetch(services.whole + "/search", { method: "POST", redirect: "manual", headers: { "content-type": "application/x-www-form-urlencoded", ...headers }, body: "id=s3-1" });
  check("a form of this page is taken", (await post({ origin: services.whole })).status === 303);
  for (const origin of ["https://evil.example", "http://localhost:1", "null"]) check(`a form of ${origin} is refused`, (await post({ origin })).status === 403);
  check("a form of nowhere is refused", (await post({})).status === 403);
}

// The results of a run.
{
  const service = "run";
  const page = await open("/", { service });
  const summary = JSON.parse(fs.readFileSync(path.join(work, "viewed", "summary.json"), "utf8"));
  const tiles = await page.locator(".tile b").allInnerTexts();
  check("run: its counts", [0, 3].every((at) => Number(tiles[at]) === [summary.documents, 0, 0, summary.clusters][at]), tiles);
  check("run: its clusters", (await page.locator("li.hit").count()) === summary.clusters);
  await page.locator(".hit .name").first().click();
  check("run: a cluster has one leader", (await page.locator(".hit .tag").count()) === 1 && (await page.locator(".hit").count()) > 2);
  await page.locator(".hit a.button").first().click();
  check("run: a member is compared with its leader", (await page.locator("h1").innerText()) === "What differs?" && (await page.locator(".sides .text, .sides .fold").count()) > 0, page.url());
  await page.goto(services.run + OF_RUN["run-texts"]);
  check("run: hostile texts are found and stay texts", (await page.locator(".hit").count()) >= 6 && (await page.locator("main script, main img").count()) === 0);
  check("run: an unknown document is told", (await page.goto(services.run + query("/document", { id: "nobody" }))).status() === 404);
  check("run: there is no other view", (await page.goto(services.run + "/v1/stats")).status() === 404);
  await close(page, "run");
  check("run: another host has no answer", (await fetch(services.run, { headers: { origin: "https://evil.example" } })).status === 403);
}

// With tokens.
{
  const service = "guarded";
  const page = await open(VIEWS.about, { service });
  check("tokens: who has none signs in", page.url().startsWith(services.guarded + "/sign-in?next="), page.url());
  const findings = await axeFindings(page, axe);
  check("tokens: axe finds nothing", findings.length === 0, findings);
  await page.locator("[name=token]").fill("wrong");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[role=alert]");
  check("tokens: a wrong one is refused", (await page.locator("[role=alert]").innerText()).includes("not known"));
  await page.locator("[name=token]").fill("reader");
  await Promise.all([page.waitForURL("**/about"), page.keyboard.press("Enter")]);
  check("tokens: and leads to where one wanted to go", (await page.locator("h1").innerText()) === "The index" && (await page.locator(".session").innerText()).includes("the reader"));
  const cookies = await page.own.cookies();
  check("tokens: the cookie is for this service alone", cookies.length === 1 && cookies[0].httpOnly && cookies[0].sameSite === "Strict" && !cookies[0].value.includes("reader"), cookies);
  const api = await page.request.get(services.guarded + "/v1/stats");
  check("tokens: the cookie opens no endpoint", api.status() === 401, api.status());
  await page.getByText("Sign out").click();
  await page.goto(services.guarded + "/about");
  check("tokens: signed out", page.url().includes("/sign-in"), page.url());
  await close(page, "tokens");
}

await browser.close();
checks.end("the page of the service in Chromium");
