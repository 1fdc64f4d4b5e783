// What the tests of pages in Chromium share: the browser, axe, widths, the keyboard.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

/** Counts checks, and prints those that fail. */
export class Checks {
  passed = 0;
  failed = 0;

  check(name, ok, detail = "") {
    ok ? this.passed++ : this.failed++;
    if (!ok) console.log(`FAILED: ${name}: ${typeof detail === "string" ? detail : JSON.stringify(detail)}`.slice(0, 3000));
  }

  /** Prints the counts and ends the process. */
  end(what) {
    console.log(`${what}: ${this.passed} passed, ${this.failed} failed`);
    process.exit(this.failed || !this.passed ? 1 : 0);
  }
}

/** The packages that are installed below a directory. */
export function installed(work) {
  const require = createRequire(path.join(work, "package.json"));
  return { playwright: require("playwright-core"), axe: fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8") };
}

/** Options of a browser without a network of its own. */
export function headless(executablePath) {
  return {
    executablePath,
    headless: true,
    acceptDownloads: true,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  };
}

/** What axe finds on a page. */
export async function axeFindings(page, axe) {
  return page.evaluate(async (source) => {
    (0, eval)(source);
    const result = await window.axe.run(document, { resultTypes: ["violations"] });
    return result.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + " " + node.failureSummary).join(" | "));
  }, axe).catch((error) => ["axe did not run: " + error]);
}

/** What is wider than the window, but for what scrolls by itself, or is cut off; empty if nothing is. */
export async function overflow(page) {
  return page.evaluate(() => {
    const room = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > room) {
      const over = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > room + 1 && !e.closest(".scroll, .hidden, svg"));
      return "the page is " + document.documentElement.scrollWidth + " wide: " + over.slice(0, 4).map((e) => e.outerHTML.slice(0, 160)).join(" | ");
    }
    const cut = [...document.querySelectorAll("button, label, dd, dt, .tile b, .tile span, h1, h2, p, li")]
      .filter((e) => e.offsetParent && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline");
    return cut.slice(0, 4).map((e) => e.outerHTML.slice(0, 160)).join(" | ");
  });
}

/** Presses Tab until an element that matches has the focus. */
export async function tabTo(page, selector, most = 400) {
  for (let n = 0; n < most; n++) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector)) return true;
    await page.keyboard.press("Tab");
  }
  return false;
}
