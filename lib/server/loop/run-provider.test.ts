import { expect, test } from "vitest";
import { ProviderError } from "@/lib/agent/ports";
import { stop, text } from "@/lib/agent/testing/scripted";
import { ask, ended, logOf } from "@/lib/server/testing/run-kit";
import { startAlone } from "@/lib/server/testing/world";
import { run as newRun } from "@/lib/store/testing/rows";
import type { RunOptions } from "@/lib/store/types";
import { readChain } from "./chain";
import { LiveRun } from "./live-run";
import { sample } from "./sample";

type App = Awaited<ReturnType<typeof startAlone>>;

/** Each way to use a model: the chunks that tell of it. */
const uses: Record<string, (app: App, options: RunOptions) => Promise<object[]>> = {
  "a chat": async (app, options) => logOf(app, await ended(app, await ask(app, options))),
  "an agent": async (app, options) => {
    const workflow = { name: "desk", agent: { type: "llm", name: "clerk", instruction: "Answer." } };
    return logOf(app, await ended(app, await ask(app, { ...options, workflow })));
  },
  "a server": async (app, options) => {
    const row = newRun("r", { model: "scripted/model", options });
    const run = new LiveRun(row, app.store.log, await readChain(app, undefined));
    const told: object[] = [];
    const { signal } = new AbortController();
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "Name a city." }] }];
    const context = { signal, emit: async (chunk: object) => void told.push(chunk) };
    await sample(app, run, { messages, maxTokens: 100 }, context).catch((cause) => told.push(cause));
    return told;
  },
};

test.for(Object.entries(uses))(
  "%s gets the model with its wrappers: it tries again and tells the cost",
  async ([, use]) => {
    const busy = new ProviderError("rate_limited", "Busy.", { retryAfterMs: 1 });
    const app = await startAlone([busy], [text("Nara"), stop("end_turn")]);
    await app.store.settings.set("system", "prices", { "scripted/model": { input: 1e6, output: 1e6 } });
    expect(await use(app, {})).toContainEqual(expect.objectContaining({ type: "usage", cost: 2 }));
    expect(app.world.turns).toHaveLength(2);
  },
);

test.for(Object.entries(uses))(
  "%s does not wait longer for the first word than the run says",
  async ([, use]) => {
    const never = new Promise<never>(() => {});
    const app = await startAlone([never], [never], [never]);
    const told = await use(app, { firstTokenMs: 1 });
    expect(JSON.stringify(told.map((each) => (each instanceof Error ? each.message : each)))).toContain(
      "The model did not begin to answer in time",
    );
    expect(app.world.turns).toHaveLength(3);
  },
);
