// Opens pages of lookalike in Chromium, from the disk and without a network, and uses them by keyboard.
//
//   node pages.mjs WORK CHROMIUM [SCREENSHOTS]
//
// WORK has what run.py makes: runs `small` (embedded data, hostile texts), `beside` (data in files), `evaluated`,
// `passages`.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { axeFindings, Checks, headless, installed, overflow, tabTo } from "./helpers.mjs";

const [work, chromium, shots] = process.argv.slice(2);
const { playwright, axe } = installed(work);
const checks = new Checks();
const check = (...given) => checks.check(...given);

const profile = fs.mkdtempSync(path.join(work, "profile-"));
const browser = await playwright.chromium.launchPersistentContext(profile, { ...headless(chromium), offline: true });

const address = (run) => pathToFileURL(path.join(work, run, "report.html")).href;

async function open(run, { width = 1400, scheme = "light", hash = "", script = true } = {}) {
  const page = await browser.newPage();
  page.errors = [];
  page.requests = [];
  page.on("console", (message) => { if (message.type() === "error") page.errors.push(message.text()); });
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("request", (request) => page.requests.push(request.url()));
  page.on("dialog", (dialog) => { page.errors.push("dialog: " + dialog.message()); dialog.dismiss(); });
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(address(run) + hash);
  if (script) await page.waitForSelector("body[data-ready]", { timeout: 60000 });
  return page;
}

async function axeClean(page, name) {
  const found = await axeFindings(page, axe);
  check(`${name}: axe finds nothing`, found.length === 0, found);
}

/** Nothing is wider than the window, but for what scrolls by itself; no text is cut off. */
async function fits(page, name) {
  const wide = await overflow(page);
  check(`${name}: nothing is cut off or too wide`, wide === "", wide);
}

const status = (page) => page.locator("[data-part=status]").innerText();
const until = (page, text) => page.waitForFunction((text) => document.querySelector("[data-part=status]").textContent.includes(text), text, { timeout: 60000 });
const names = (page) => page.locator("#browser .cluster summary .name").allInnerTexts();
const sizes = (page) => page.locator("#browser .cluster summary b").allInnerTexts();

const policy = async (page) => page.locator("meta[http-equiv]").getAttribute("content");

// Every size and colour scheme: axe, widths, errors, a network.
for (const run of ["small", "beside"]) {
  for (const width of [400, 1400]) {
    for (const scheme of ["light", "dark"]) {
      const name = `${run} ${width} ${scheme}`;
      const page = await open(run, { width, scheme });
      const clusters = page.locator("#browser .cluster");
      await clusters.first().locator("summary").click();
      await clusters.first().locator(".actions button").first().waitFor();
      await clusters.first().locator(".actions button").first().click();
      await clusters.first().locator("button.same").first().click();
      await axeClean(page, name);
      await fits(page, name);
      check(`${name}: no error`, page.errors.length === 0, page.errors);
      const other = page.requests.filter((url) => !url.startsWith("file:") && !url.startsWith("data:"));
      check(`${name}: nothing is fetched from elsewhere`, other.length === 0, other);
      const files = page.requests.filter((url) => url.includes("report-data/"));
      check(`${name}: data ${run === "small" ? "are in the page" : "are beside it"}`, (files.length > 0) === (run === "beside"), files);
      await clusters.first().locator("button.same").first().click();
      if (shots) await page.screenshot({ path: path.join(shots, `${run}-${width}-${scheme}.png`), fullPage: true });
      await page.close();
    }
  }
}
for (const width of [400, 1400]) {
  for (const scheme of ["light", "dark"]) {
    const name = `evaluated ${width} ${scheme}`;
    const page = await open("evaluated", { width, scheme, script: false });
    await axeClean(page, name);
    await fits(page, name);
    check(`${name}: no error`, page.errors.length === 0, page.errors);
    const text = await page.locator("main").innerText();
    const legend = await page.locator(".legend li").allInnerTexts();
    const methods = await page.locator("#methods td.name").allInnerTexts();
    check(`${name}: the chart names every method`, methods.length > 2 && methods.every((method) => legend.some((entry) => entry.includes(method.trim()))), { methods, legend });
    if (shots) await page.screenshot({ path: path.join(shots, `${name.replaceAll(" ", "-")}.png`), fullPage: true });
    await page.close();
  }
}

for (const width of [400, 1400]) {
  for (const scheme of ["light", "dark"]) {
    const name = `passages ${width} ${scheme}`;
    const page = await open("passages", { width, scheme, script: false });
    await axeClean(page, name);
    await fits(page, name);
    check(`${name}: no error`, page.errors.length === 0, page.errors);
    check(`${name}: nothing is fetched`, page.requests.every((url) => url.startsWith("file:")) && page.requests.length === 1, page.requests);
    const closed = page.locator("details:not([open])").first();
    check(`${name}: an example is reached by Tab`, await tabTo(page, "details:not([open]) > summary"));
    await page.keyboard.press("Enter");
    check(`${name}: and opens`, (await page.locator("details[open]").count()) === 3, await closed.count());
    const [goes, stays] = [await page.locator("details[open] del").allInnerTexts(), await page.locator("details[open] ins").allInnerTexts()];
    check(`${name}: what goes is beside the same`, goes.length > 2 && goes.length === stays.length, { goes: goes.length, stays: stays.length });
    if (shots) await page.screenshot({ path: path.join(shots, `${name.replaceAll(" ", "-")}.png`), fullPage: true });
    await page.close();
  }
}

// By keyboard: search, order, page, open, label, save.
const clusters = JSON.parse(fs.readFileSync(path.join(work, "small", "summary.json"), "utf8")).clusters;
{
  const page = await open("small");
  await until(page, `of ${clusters} clusters`);
  check("all clusters are listed", (await status(page)) === `1 to 25 of ${clusters} clusters`, await status(page));
  check("the search field is reached by Tab", await tabTo(page, "[data-part=q]"));
  await page.keyboard.type("story NUMBER 7");
  await until(page, "that match");
  check("search finds a title", (await names(page)).every((name) => name.includes("Story number 7")), await names(page));
  check("the address has the search", page.url().includes("#clusters:q=story"), page.url());
  check("the order is reached by Tab", await tabTo(page, "[data-part=clear]"));
  await page.keyboard.press("Enter");
  await until(page, `1 to 25 of ${clusters} clusters`);
  await page.locator("[data-part=sort]").focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForTimeout(100);
  const small = (await sizes(page)).map(Number);
  check("smallest first", small.every((size, at) => at === 0 || small[at - 1] <= size), small);
  await page.keyboard.press("ArrowUp");
  await page.waitForTimeout(100);
  const large = (await sizes(page)).map(Number);
  check("largest first", large.every((size, at) => at === 0 || large[at - 1] >= size), large);
  await page.locator("[data-part=next]").focus();
  await page.keyboard.press("Enter");
  check("the next page", (await status(page)).startsWith("26 to 50 of"), await status(page));
  await page.locator("[data-part=place]").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("99");
  await page.keyboard.press("Enter");
  check("a page that does not exist is the last one", (await status(page)).includes(`to ${clusters} of`), await status(page));
  const all = new Set();
  await page.locator("[data-part=first]").focus();
  await page.keyboard.press("Enter");
  for (let n = 0; n < Math.ceil(clusters / 25); n++) {
    for (const row of await page.locator("#browser .cluster summary").all()) {
      await row.click();
    }
    await page.waitForFunction(() => [...document.querySelectorAll("#browser .cluster-body")].every((body) => /Cluster [\d,]+\./.test(body.textContent)));
    for (const text of await page.locator("#browser .cluster-body > p:first-child").allInnerTexts()) all.add(text.match(/Cluster ([\d,]+)\./)[1]);
    await page.locator("[data-part=next]").click({ force: true }).catch(() => {});
  }
  check("every cluster is reached, each once", all.size === clusters, `${all.size} of ${clusters}`);

  await page.locator("[data-part=clear]").click();
  const first = page.locator("#browser .cluster").first();
  await first.locator("summary").focus();
  await page.keyboard.press("Enter");
  await first.locator("button.same").first().waitFor();
  check("Tab goes on to Compare", await tabTo(page, "#browser .actions button"));
  await page.keyboard.press("Enter");
  check("the texts are side by side", (await first.locator(".sides .text").count()) === 2);
  check("differences are marked", (await first.locator(".sides del, .sides ins").count()) > 0);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  check("labelled the same", (await first.locator("button.same").first().getAttribute("aria-pressed")) === "true");
  await first.locator("button.different").nth(1).focus();
  await page.keyboard.press("Enter");
  check("the labels are counted", (await page.locator("[data-part=labels]").innerText()) === "Labels: 1 same, 1 different.");
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  check("labels are kept", (await page.locator("[data-part=labels]").innerText()) === "Labels: 1 same, 1 different.");
  check("Save is reached by Tab", await tabTo(page, "[data-part=save]", 600));
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  await download.saveAs(path.join(work, "labels.tsv"));
  const rows = fs.readFileSync(path.join(work, "labels.tsv"), "utf8").trim().split("\n").map((row) => row.split("\t"));
  check("the file has a header and both labels", rows.length === 3 && rows[0].join() === "a_id,a_file,a_record,b_id,b_file,b_record,label" && rows.slice(1).map((row) => row[6]).sort().join() === "different,same", rows);
  check("no error", page.errors.length === 0, page.errors);
  await page.close();
}

// Links lead to rows: as many as their numbers say.
{
  const page = await open("small");
  const links = await page.locator('a[href^="#clusters:"]').evaluateAll((all) => [...new Set(all.map((a) => a.getAttribute("href")))]);
  check("numbers are links", links.some((l) => l.includes("rule=")) && links.some((l) => l.includes("bin=")) && links.some((l) => l.includes("size=")) && links.some((l) => l.includes("source=")), links);
  const summary = JSON.parse(fs.readFileSync(path.join(work, "small", "summary.json"), "utf8"));
  for (const link of links) {
    await page.goto(address("small") + link);
    await page.waitForTimeout(150);
    const text = await status(page);
    check(`${link}: has rows`, /^1 to /.test(text), text);
    const size = link.match(/size=(\d+)-(\d+)$/);
    if (size) {
      const expected = summary.histogram_cluster_size.find((bin) => bin.from === Number(size[1])).clusters;
      check(`${link}: as many as the bar`, text.includes(` of ${expected} cluster`), [text, expected]);
    }
  }
  check("links: no error", page.errors.length === 0, page.errors);
  await page.close();
}

// Hostile texts stay texts.
{
  const page = await open("small", { hash: "#clusters:q=alert(1)" });
  await until(page, "that match");
  for (const row of await page.locator("#browser .cluster summary").all()) if (!(await row.evaluate((e) => e.parentElement.open))) await row.click();
  await page.locator("#browser .actions button").first().waitFor();
  for (const button of await page.locator("#browser .actions button:first-child").all()) await button.click();
  const text = await page.locator("#browser").innerText();
  check("a script in a text is shown", text.includes("</script><script>alert(1)</script>"), text.slice(0, 400));
  check("direction marks are shown by number", text.includes("⟨U+202E⟩") && !/[\u202e\0\x1b]/.test(text));
  check("only our scripts are in the page", (await page.locator("script:not([type])").count()) === 1 && (await page.locator("#browser b b, #browser img, #browser script").count()) === 0);
  const content = await policy(page);
  check("the policy allows one script by its hash", /default-src 'none'; script-src 'sha256-[A-Za-z0-9+/=]{44}'; style-src/.test(content), content);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.broken = 1";
    document.body.append(script);
    return window.broken;
  });
  check("another script does not run", ran === undefined);
  page.errors.length = 0;
  await page.close();
}

// Fallbacks: an old browser, a lost directory, no script.
{
  const page = await browser.newPage();
  await page.addInitScript(() => { delete window.DecompressionStream; });
  await page.goto(address("small"));
  check("an old browser is told", (await page.locator("#notice").innerText()).includes("too old"));
  check("and shows the largest clusters", (await page.locator("#largest .cluster").count()) > 0);
  await page.close();
  fs.renameSync(path.join(work, "beside", "report-data"), path.join(work, "beside", "elsewhere"));
  const lost = await browser.newPage();
  await lost.goto(address("beside"));
  await lost.waitForFunction(() => document.getElementById("notice")?.textContent.includes("cannot be loaded"), null, { timeout: 20000 }).catch(() => {});
  check("lost data are named", (await lost.locator("#notice").innerText()).includes("report-data/index.js cannot be loaded"), await lost.locator("#notice").innerText());
  await lost.close();
  fs.renameSync(path.join(work, "beside", "elsewhere"), path.join(work, "beside", "report-data"));
}

await browser.close();
fs.rmSync(profile, { recursive: true, force: true });
checks.end("pages in Chromium");
