import type { Page } from "@playwright/test";

export interface Held {
  /** What JavaScript holds, MB. */
  heapMb: number;
  /** Nodes of documents, attached or not. */
  nodes: number;
  listeners: number;
}

/** What a page holds after a collection. */
export async function heldBy(page: Page): Promise<Held> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  // What a finalizer frees is collected by the next one.
  for (let count = 0; count < 3; count++) await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return { heapMb: of("JSHeapUsedSize") / 1e6, nodes: of("Nodes"), listeners: of("JSEventListeners") };
}
