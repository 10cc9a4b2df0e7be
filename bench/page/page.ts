import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import { buildApp, serversSettled, startBenchApp } from "@/bench/support/app";
import { startChild } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import { median, round } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import { countScripts } from "./count-scripts";
import { keysTyped, measureSettings, type SettingsFigures } from "./settings";
import { moment, rememberAnswer, watchPage } from "./watch-page";

const rounds = 7;
const systemChromium = "/usr/bin/chromium";
/** Of an answer that is reloaded in its middle: 20 a second, so that it lasts long enough. */
const longAnswer = 200;
const midAnswerMs = 2_000;
/** Half of those that are written meanwhile. */
const fewestTokens = 20;

interface Visit {
  scripts: number;
  withAnswer: number;
  uncompressed: string[];
  usableMs: number;
  reloadMs: number;
}

/** The built application in a real browser. */
export async function benchPage(): Promise<Report> {
  await buildApp();
  const model = await startChild<string>("server/model-server.ts");
  const app = await startBenchApp(model.ready);
  const browser = await launchBrowser();
  try {
    await serversSettled(app);
    const visits: Visit[] = [];
    for (let count = 0; count <= rounds; count++) {
      const visit = await visitOnce(browser, app);
      if (count > 0) visits.push(visit); // the server compiles at its first page
    }
    return report(visits, await measureSettings(browser, model.ready));
  } finally {
    await browser.close();
    await app.dispose();
    await model.end();
  }
}

function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(existsSync(systemChromium) && { executablePath: systemChromium }),
    args: [
      "--disable-background-networking",
      "--disable-component-update",
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    ],
  });
}

async function visitOnce(browser: Browser, app: App): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US" });
  try {
    // Only the cookie of the printed address, without what that visit would put into the cache.
    await context.request.get(app.url, { maxRedirects: 0 });
    return await visit(await openPage(context), app);
  } finally {
    await context.close();
  }
}

async function openPage(context: BrowserContext): Promise<Page> {
  await context.addInitScript(watchPage);
  return context.newPage();
}

async function visit(page: Page, app: App): Promise<Visit> {
  const scripts = countScripts(page);
  await page.goto(`${app.baseUrl}/`);
  const usableMs = await moment(page, "usable");
  const empty = await scripts();

  await page.getByRole("textbox").fill("What can you do?");
  await page.keyboard.press("Enter");
  await page.locator("[data-growing=false]").waitFor();
  const answered = await scripts();

  const { conversationId } = await startLongAnswer(app);
  await page.goto(`${app.baseUrl}/c/${conversationId}`);
  await moment(page, "text");
  await page.waitForTimeout(midAnswerMs);
  const tokens = await rememberAnswer(page);
  if (tokens < fewestTokens) throw new Error(`Only ${tokens} tokens came in ${midAnswerMs} ms.`);
  await page.reload();
  const reloadMs = await moment(page, "text");
  return {
    scripts: empty.bytes,
    withAnswer: answered.bytes,
    uncompressed: answered.uncompressed,
    usableMs,
    reloadMs,
  };
}

/** Starts an answer and leaves: closing the tab stops nothing. */
async function startLongAnswer(app: App): Promise<{ conversationId: string }> {
  const response = await app.fetch("/api/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "openai/test-model", message: { text: `${longAnswer} tokens` } }),
  });
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString();
    const opened = /^event: run\ndata: (.+)$/m.exec(text)?.[1];
    if (opened) return JSON.parse(opened);
  }
  throw new Error(`The answer did not begin: ${text}`);
}

function report(visits: readonly Visit[], settings: SettingsFigures): Report {
  const of = (key: "scripts" | "withAnswer" | "usableMs" | "reloadMs") =>
    median(visits.map((visit) => visit[key]));
  const ms = (value: number) => `${round(value)} ms`;
  const kb = (bytes: number) => `${round(bytes / 1_000)} KB`;
  const uncompressed = new Set(visits.flatMap((visit) => visit.uncompressed)).size;
  return {
    title: "The page",
    about: `The built application in Chromium with an empty cache, on the machine that also serves it. Scripts: bodies of all script responses as they came over the wire, workers included. Usable: from the navigation until React listens to the composer. Reload: an answer of which two seconds have come is reloaded; from the reload until all of that stands on the page again. Tools found: from one change of the search that all of them fit, until the last stands there. Medians of ${visits.length} visits.`,
    checks: [
      check("JavaScript of the new-chat page", 220_000, of("scripts"), kb),
      check("JavaScript with a first answer", 320_000, of("withAnswer"), kb),
      check("composer usable, cold (goal)", 350, of("usableMs"), ms),
      check("answer so far after a reload (goal)", 300, of("reloadMs"), ms),
      check("settings with 30 servers and 510 tools usable, cold (goal)", 500, settings.usableMs, ms),
      check("a key in the search over them, handled", 16, settings.keyMs, ms),
      check(`the slowest of ${keysTyped} keys`, 16, settings.slowestKeyMs, ms),
      check("510 tools found and shown", 500, settings.foundMs, ms),
      check("scripts over 1 KB that came uncompressed", 0, uncompressed, String),
    ],
    tables: [],
  };
}

const check = (what: string, most: number, measured: number, write: (value: number) => string) => ({
  what,
  accepted: write(most),
  measured: write(measured),
  met: measured <= most,
});
