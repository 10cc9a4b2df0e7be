import { type BrowserContextOptions, expect, type Page } from "@playwright/test";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import type { Script, WireServer } from "@/lib/providers/testing/wire-server";
import { apiOf } from "./api";
import { type App, startApp } from "./app";
import { ChatPage } from "./chat-page";
import { defaultServers, serverScript } from "./default-servers";
import { test as serverTest } from "./server-test";
import { watchContext } from "./watch-context";

/** A model server that the worker's application knows as `test-model`; each test says what it answers. */
export interface ScriptedModel extends WireServer {
  script: Script;
}

const moreServers = { everything: { command: "node", args: [serverScript("everything")] } };

/** By its name the second can see images. */
const models = { models: ["test-model", "vision-model"] };

interface OpenOptions extends BrowserContextOptions {
  /** Without the session: whoever gets a link. */
  stranger?: boolean;
  /** Origins that the person goes to on purpose. */
  visits?: string[];
  /** What the policy is expected to stop. */
  refused?: RegExp;
}

interface TestFixtures {
  /** The worker's application; a server that a test adds to it goes with the test. */
  app: App;
  /** A blank page in a browser of its own, signed in to an application; its pages must stay within it and without errors. */
  open(app: App, options?: OpenOptions): Promise<ChatPage>;
  /** The worker's application in a browser of its own. */
  chat: ChatPage;
  page: Page;
}

interface WorkerFixtures {
  /**
   * One application for all tests of a worker, who take it as `app`: they make their own conversations and leave it
   * running. It has server-everything beside the default servers.
   */
  workerApp: App;
  model: ScriptedModel;
}

/** Playwright's `test` with a running Meguri in a browser. A test that kills or configures its application takes `start`. */
export const test = serverTest.extend<TestFixtures, WorkerFixtures>({
  model: [
    async ({ browserName: _ }, use) => {
      const script = { now: [[]] as Script };
      let first = 0;
      const server = await startOpenAiServer((request: WireRequest, index) => {
        const { now } = script;
        return typeof now === "function"
          ? now(request, index - first)
          : (now[index - first] ?? now.at(-1) ?? []);
      }, models);
      await use({
        ...server,
        get script() {
          return script.now;
        },
        set script(next) {
          first = server.requests.length;
          script.now = next;
        },
      });
      await server.close();
    },
    { scope: "worker" },
  ],
  workerApp: [
    async ({ model }, use) => {
      const app = await startApp({ env: { OPENAI_BASE_URL: model.url }, moreServers });
      await serversReady(app);
      await use(app);
      await app.kill9();
      await app.dispose();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  app: async ({ workerApp }, use) => {
    await use(workerApp);
    await removeAddedServers(workerApp);
  },
  open: async ({ browser }, use, info) => {
    const opened: { app: App; end(): Promise<void> }[] = [];
    await use(async (app, { stranger = false, visits = [], refused, ...options } = {}) => {
      const context = await browser.newContext({
        ...{ viewport: { width: 1280, height: 800 }, locale: "en-US", timezoneId: "UTC" },
        // A worker would take requests that a test wants to hold up; the test of the worker allows it.
        serviceWorkers: "block",
        ...options,
      });
      context.setDefaultTimeout(10_000);
      context.setDefaultNavigationTimeout(30_000);
      const watch = await watchContext(context, [app.baseUrl, ...visits], refused);
      opened.push({
        app,
        end: async () => {
          await context.close();
          watch.expectQuiet();
        },
      });
      // Only the cookie: a test that goes to a page of its own has no use for the one behind the printed address.
      if (!stranger) await context.request.get(app.url, { maxRedirects: 0 });
      return new ChatPage(await context.newPage(), app);
    });
    if (info.status !== info.expectedStatus)
      for (const { app } of opened)
        await info.attach("server output", { body: app.output(), contentType: "text/plain" });
    for (const { end } of opened) await end();
  },
  chat: async ({ open, app }, use) => use(await open(app)),
  page: async ({ chat }, use) => use(chat.page),
});

/** Their tools would be offered to the models of the tests that follow, and beyond a number only by search. */
async function removeAddedServers(app: App): Promise<void> {
  const own = Object.keys(defaultServers("", moreServers).mcpServers);
  const { items } = await apiOf(app).servers();
  for (const { name } of items.filter(({ name }) => !own.includes(name))) {
    const { ok, status } = await apiOf(app).send("DELETE", `/api/mcp/servers/${name}`);
    expect(ok, `${name} is removed: ${status}`).toBe(true);
  }
}

/** Before that, a chat is told that a server is not connected; nothing waits for them. */
export async function serversReady(app: App): Promise<void> {
  await expect
    .poll(async () => (await apiOf(app).servers()).items.map(({ status }) => status), { timeout: 60_000 })
    .not.toContain("connecting");
}

export { expect };
