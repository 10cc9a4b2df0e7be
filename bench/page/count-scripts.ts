import type { Page, Request } from "@playwright/test";

export interface Scripts {
  /** Bodies as they came over the wire. */
  bytes: number;
  /** Addresses of those that came without compression, though they are worth it. */
  uncompressed: string[];
}

const quietMs = 1_000;
const longestMs = 30_000;
/** Servers leave smaller bodies as they are. */
const worthIt = 1_024;

/**
 * Counts what a page loads as JavaScript, workers and prefetched parts included. Returns how to ask for the sum so far,
 * which waits until nothing has been loaded for a second.
 */
export function countScripts(page: Page): () => Promise<Scripts> {
  const scripts: Request[] = [];
  let lastSeen = performance.now();
  page.on("request", () => {
    lastSeen = performance.now();
  });
  page.on("requestfinished", (request) => {
    lastSeen = performance.now();
    if (isScript(request)) scripts.push(request);
  });
  return async () => {
    const start = performance.now();
    while (performance.now() - lastSeen < quietMs && performance.now() - start < longestMs)
      await page.waitForTimeout(100);
    return sum(scripts);
  };
}

async function sum(scripts: readonly Request[]): Promise<Scripts> {
  const total: Scripts = { bytes: 0, uncompressed: [] };
  for (const request of scripts) {
    const { responseBodySize } = await request.sizes();
    total.bytes += responseBodySize;
    const encoding = (await request.response())?.headers()["content-encoding"];
    if (!encoding && responseBodySize > worthIt) total.uncompressed.push(request.url());
  }
  return total;
}

const isScript = (request: Request) =>
  request.resourceType() === "script" || new URL(request.url()).pathname.endsWith(".js");
