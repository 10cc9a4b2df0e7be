import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildApp, serversSettled, startBenchApp } from "@/bench/support/app";
import { startBareApp } from "@/bench/support/bare-app";
import { startChild } from "@/bench/support/child";
import { fillStore } from "@/bench/support/fill-store";
import type { Report } from "@/bench/support/report";
import { launchBrowser } from "./browser";
import { measureLists } from "./long-list";
import { measureRunPage } from "./long-run";
import { writePageReport } from "./page-report";
import { measureReplay } from "./replay";
import { measureSettings } from "./settings";
import { measureStreaming } from "./streaming";
import { countAsGzip, longMessages, measureVisits } from "./visits";

/** The built application in a real browser. */
export async function benchPage(): Promise<Report> {
  await buildApp();
  const model = await startChild<{ url: string }>("server/model-server.ts");
  const folder = mkdtempSync(join(tmpdir(), "meguri-bench-"));
  try {
    const longId = await fillStore(join(folder, "data"), 0, { messages: longMessages });
    return await measure(model.ready.url, { dataDir: join(folder, "data"), longId });
  } finally {
    await model.end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measure(modelUrl: string, { dataDir, longId }: { dataDir: string; longId: string }) {
  const browser = await launchBrowser();
  const bare = await startBareApp();
  const app = await startBenchApp(modelUrl, { DATA_DIR: dataDir });
  try {
    await serversSettled(app);
    const visits = await measureVisits(browser, app, longId, bare.url);
    const asGzip = await countAsGzip(browser, app);
    const runs = await measureRunPage(browser, app);
    const replay = await measureReplay(browser, app);
    await app.restart({ DEFAULT_MODEL: "openai/test-model" });
    await serversSettled(app);
    const streaming = await measureStreaming(browser, app.url, bare.url);
    await app.stop();
    const settings = await measureSettings(browser, modelUrl);
    const lists = await measureLists(browser, modelUrl);
    return writePageReport({ visits, asGzip, streaming, settings, lists, runs, replay });
  } finally {
    await browser.close();
    await app.dispose();
    await bare.dispose();
  }
}
