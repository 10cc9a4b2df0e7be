import { test as base } from "@playwright/test";
import { startGeminiServer } from "@/lib/providers/testing/gemini-server";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import type { Script, WireServer } from "@/lib/providers/testing/wire-server";
import { type App, type StartOptions, startApp } from "./app";
import { type Gated, makeGated } from "./gated";

interface ServerFixtures {
  /** Starts an application that ends with the test. */
  start(options?: StartOptions): Promise<App>;
  /** Starts one whose model is a local server that speaks OpenAI's or Gemini's wire by a script. */
  startWithModel(
    script: Script,
    options?: StartOptions & { wire?: "openai" | "google" },
  ): Promise<{ app: App; model: WireServer }>;
  gated: Gated;
}

/** Playwright's `test` for files that need no browser but applications of their own, to kill and to configure. */
export const test = base.extend<ServerFixtures>({
  start: async ({ browserName: _ }, use, info) => {
    const apps: App[] = [];
    await use(async (options) => {
      const app = await startApp(options);
      apps.push(app);
      return app;
    });
    for (const app of apps) {
      if (info.status !== info.expectedStatus)
        await info.attach("server output", { body: app.output(), contentType: "text/plain" });
      // Not by SIGTERM: a run that hangs would get its 30 s.
      await app.kill9();
      await app.dispose();
    }
  },
  startWithModel: async ({ start }, use) => {
    const models: WireServer[] = [];
    await use(async (script, { wire = "openai", env = {}, ...options } = {}) => {
      const model = await (wire === "google" ? startGeminiServer : startOpenAiServer)(script);
      models.push(model);
      return { app: await start({ ...options, env: { ...modelEnv(wire, model.url), ...env } }), model };
    });
    await Promise.all(models.map((model) => model.close()));
  },
  gated: async ({ browserName: _ }, use) => {
    const gated = makeGated();
    await use(gated);
    gated.dispose();
  },
});

const modelEnv = (wire: "openai" | "google", url: string): Record<string, string> =>
  wire === "google"
    ? {
        GOOGLE_GENERATIVE_AI_API_KEY: "test-key",
        GOOGLE_GENERATIVE_AI_BASE_URL: url,
        DEFAULT_MODEL: "google/test-model",
      }
    : { OPENAI_BASE_URL: url, DEFAULT_MODEL: "openai/test-model" };

export { expect } from "@playwright/test";
