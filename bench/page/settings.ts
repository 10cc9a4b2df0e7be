import type { Browser, Page } from "@playwright/test";
import { serversSettled, startBenchApp } from "@/bench/support/app";
import { startChild } from "@/bench/support/child";
import { median } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import { withPage } from "./browser";
import { loadUntil } from "./watch-page";

const servers = 30;
const toolsEach = 17;
const rounds = 5;
/** Fits every tool, so that all of them come into the page. */
const typed = "looks up";
export const keysTyped = rounds * typed.length;

export interface SettingsFigures {
  /** From the navigation until all servers stand there and the search listens. */
  usableMs: number;
  /** Of each key, until React has done what cannot wait for the next one. */
  keyMs: number;
  slowestKeyMs: number;
  /** From the key that all tools fit, until all of them stand there; NaN when they never do. */
  foundMs: number;
}

/** The page of the MCP servers with 30 servers and 510 tools; medians of five visits, of the slowest key the worst. */
export async function measureSettings(browser: Browser, modelUrl: string): Promise<SettingsFigures> {
  // In one process, and over HTTP: thirty children would measure themselves.
  const http = await startChild<string>("mcp/http-servers.ts");
  const app = await startBenchApp(modelUrl, {}, manyServers(http.ready));
  try {
    await serversSettled(app);
    return await measureVisits(browser, app);
  } finally {
    await app.dispose();
    await http.end();
  }
}

const manyServers = (url: string) =>
  Object.fromEntries(
    Array.from({ length: servers }, (_, at) => [
      `server-${at}`,
      { url: `${url}/0/${toolsEach}/server-${at}` },
    ]),
  );

async function measureVisits(browser: Browser, app: App): Promise<SettingsFigures> {
  const visits: SettingsFigures[] = [];
  for (let count = 0; count <= rounds; count++) {
    const figures = await withPage(browser, app.url, (page) => visitSettings(page, app), ["servers"]);
    if (count > 0) visits.push(figures);
  }
  const of = (key: keyof SettingsFigures) => visits.map((visit) => visit[key]);
  return {
    usableMs: median(of("usableMs")),
    keyMs: median(of("keyMs")),
    slowestKeyMs: Math.max(...of("slowestKeyMs")),
    foundMs: median(of("foundMs")),
  };
}

async function visitSettings(page: Page, app: App): Promise<SettingsFigures> {
  const open = () => page.goto(`${app.baseUrl}/settings/mcp`, { waitUntil: "commit" });
  const usableMs = await loadUntil(page, "servers", open);
  const { keys, foundMs } = await page.evaluate(typeIntoSearch, { text: typed, tools: servers * toolsEach });
  return { usableMs, keyMs: median(keys), slowestKeyMs: Math.max(...keys), foundMs };
}

/** Runs in the page. React handles a key in the task of its event and the microtasks after it. */
async function typeIntoSearch({
  text,
  tools,
}: {
  text: string;
  tools: number;
}): Promise<{ keys: number[]; foundMs: number }> {
  const field = document.querySelector("input[type=search]") as HTMLInputElement;
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const write = (value: string) => {
    setValue?.call(field, value);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const shows = async (count: number) => {
    const lines = () => document.querySelectorAll("li[id^=server-] ul [role=switch]").length;
    for (let frame = 0; frame < 600 && lines() !== count; frame++) await new Promise(requestAnimationFrame);
    return lines() === count;
  };

  const keys: number[] = [];
  for (let length = 1; length <= text.length; length++) {
    const before = performance.now();
    write(text.slice(0, length));
    await Promise.resolve();
    keys.push(performance.now() - before);
    await pause(60);
  }
  // The first key has found them all already: once more from none.
  write("");
  if (!(await shows(0))) return { keys, foundMs: Number.NaN };
  const last = performance.now();
  write(text);
  return { keys, foundMs: (await shows(tools)) ? performance.now() - last : Number.NaN };
}
