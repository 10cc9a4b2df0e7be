import { gzipSync } from "node:zlib";
import type { Browser, Page, Response } from "@playwright/test";
import { median } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import { withPage } from "./browser";
import { countScripts } from "./count-scripts";
import { loadUntil, rememberAnswer, whenSeen } from "./watch-page";

export const rounds = 5;
/** Of an answer that is reloaded in its middle: about 20 KB at once, and then 20 tokens a second, so that it lasts long enough. */
const atOnce = 1_200;
const longAnswer = atOnce + 300;
const midAnswerMs = 2_000;

export interface Visit {
  scripts: number;
  bareScripts: number;
  withAnswer: number;
  uncompressed: string[];
  usableMs: number;
  bareUsableMs: number;
  /** From the first byte of the page. */
  bareAfterMs: number;
  warmMs: number;
  longMs: number;
  /** From the first byte of the page until all of the answer so far stands there again. */
  reloadMs: number;
}

type Bare = "bareScripts" | "bareUsableMs" | "bareAfterMs";

/** Visits with an empty cache; the first does not count, since a server compiles at its first page. */
export async function measureVisits(
  browser: Browser,
  app: App,
  longId: string,
  bareUrl: string,
): Promise<Visit[]> {
  const visits: Visit[] = [];
  for (let count = 0; count <= rounds; count++) {
    console.log(`  visit ${count} of ${rounds}`);
    const bare = await withPage(browser, bareUrl, (page) => visitBare(page, bareUrl));
    const ours = await withPage(browser, app.url, (page) => visit(page, app), ["usable", "text"]);
    const open = (page: Page) => openLong(page, `${app.baseUrl}/c/${longId}`);
    const longMs = await withPage(browser, app.url, open, ["usable", "last"]);
    if (count > 0) visits.push({ ...bare, ...ours, longMs });
  }
  return visits;
}

/** The scripts of the new-chat page, were they packed with gzip, in bytes. On a visit of its own: reading them takes time. */
export function countAsGzip(browser: Browser, app: App): Promise<number> {
  return withPage(browser, app.url, async (page) => {
    const responses: Response[] = [];
    page.on("response", (response) => {
      if (response.request().resourceType() === "script") responses.push(response);
    });
    await page.goto(`${app.baseUrl}/`, { waitUntil: "networkidle" });
    const bodies = await Promise.all(responses.map((response) => response.body()));
    return bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
  });
}

export const medianOf = (visits: readonly Visit[], key: Exclude<keyof Visit, "uncompressed">): number =>
  median(visits.map((visit) => visit[key]));

async function visitBare(page: Page, url: string): Promise<Pick<Visit, Bare>> {
  const scripts = countScripts(page);
  const bareUsableMs = await loadUntil(page, "usable", () => page.goto(url));
  const bareAfterMs = bareUsableMs - (await respondedAt(page));
  return { bareUsableMs, bareAfterMs, bareScripts: (await scripts()).bytes };
}

async function visit(page: Page, app: App): Promise<Omit<Visit, Bare | "longMs">> {
  const scripts = countScripts(page);
  const open = () => page.goto(`${app.baseUrl}/`);
  const usableMs = await loadUntil(page, "usable", open);
  const empty = await scripts();
  const warmMs = await loadUntil(page, "usable", open);

  await page.getByRole("textbox").fill("What can you do?");
  await page.keyboard.press("Enter");
  await page.locator("[data-growing=false]").waitFor();
  const answered = await scripts();

  const { conversationId } = await startLongAnswer(app);
  await loadUntil(page, "text", () => page.goto(`${app.baseUrl}/c/${conversationId}`));
  await page.waitForTimeout(midAnswerMs);
  const tokens = await rememberAnswer(page);
  if (tokens < atOnce) throw new Error(`Only ${tokens} tokens came in ${midAnswerMs} ms.`);
  const shownMs = await loadUntil(page, "text", () => page.reload());
  const reloadMs = shownMs - (await respondedAt(page));
  return {
    ...{ scripts: empty.bytes, withAnswer: answered.bytes, uncompressed: answered.uncompressed },
    ...{ usableMs, warmMs, reloadMs },
  };
}

/** When the first byte of the page came, ms since its navigation began. */
const respondedAt = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const [visit] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return visit?.responseStart ?? Number.NaN;
  });

/** Until its last message stands there and React listens to the composer. */
async function openLong(page: Page, url: string): Promise<number> {
  const last = whenSeen(page, "last");
  const usable = await loadUntil(page, "usable", () => page.goto(url, { waitUntil: "commit" }));
  return Math.max(usable, await last);
}

export const longMessages = 1_000;

/** Starts an answer and leaves: closing the tab stops nothing. */
async function startLongAnswer(app: App): Promise<{ conversationId: string }> {
  const response = await app.fetch("/api/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "openai/test-model",
      message: { text: `${longAnswer} tokens after ${atOnce}` },
    }),
  });
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString();
    const opened = /^event: run\ndata: (.+)$/m.exec(text)?.[1];
    if (opened) return JSON.parse(opened);
  }
  throw new Error(`The answer did not begin: ${text}`);
}
