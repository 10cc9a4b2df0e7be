import { test as base } from "@playwright/test";
import { type App, startApp } from "./app";

interface TestFixtures {
  /** A page of the worker's application, signed in through the printed address. */
  page: import("@playwright/test").Page;
}

interface WorkerFixtures {
  /** One application for all tests of a worker: they make their own conversations and leave it running. */
  app: App;
}

/** Playwright's `test` with a running Meguri. A test that kills or configures its application calls `startApp`. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  app: [
    async ({ browserName: _ }, use) => {
      const app = await startApp();
      await use(app);
      await app.dispose();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: ({ app }, use) => use(app.baseUrl),
  page: async ({ page, app }, use, info) => {
    await page.goto(app.url);
    await use(page);
    if (info.status !== info.expectedStatus) {
      await info.attach("server output", { body: app.output(), contentType: "text/plain" });
    }
  },
});

export { expect } from "@playwright/test";
