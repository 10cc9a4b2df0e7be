import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { callTools, hang, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expect, test } from "../support/server-test";
import { serversReady } from "../support/test";

/** `meguri` on the data folder of a Meguri that `npm start` serves. */
const lineOf = (app: App, args: string[]) => ["scripts/cli/meguri.mjs", ...args, "--data", app.dataDir];

async function run(app: App, args: string[], input = "") {
  const child = spawn(process.execPath, lineOf(app, args));
  child.stdin.end(input);
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, code: (await closed)[0] };
}

/** What is typed at a terminal, once the words before it are shown. */
type Typed = [shown: string, typed: string];

/** The same at a terminal (`script`, of Debian's bsdutils). */
async function runAtTerminal(app: App, args: string[], ...all: Typed[]) {
  const words = [process.execPath, ...lineOf(app, args)].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", words, "/dev/null"]);
  let output = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    output += piece;
    const [shown = "", typed = ""] = all[0] ?? [];
    const at = output.indexOf(shown, seen);
    if (all.length === 0 || at < 0) return;
    seen = at + shown.length;
    all.shift();
    child.stdin.write(typed);
  });
  const [code] = await once(child, "close");
  return { output, code };
}

/** To the question whether a call is made. */
const answer = (typed: string): Typed => ["Run it? [y/n]", typed];

test("what npm start serves is asked by the command, as an assistant too, and says so as long as it runs", async ({
  startWithModel,
}) => {
  const { app, model } = await startWithModel([[say("Eight.")], [say("Nine.")]]);
  const api = apiOf(app);
  await api.post("/api/assistants", { name: "Clerk", instructions: "Be a clerk." });
  expect(await run(app, ["ask", "How many?"])).toEqual({ stdout: "Eight.\n", stderr: "", code: 0 });
  expect((await api.get<{ items: unknown[] }>("/api/conversations")).items).toHaveLength(1);
  expect(await run(app, ["ask", "--assistant", "clerk", "And now?"])).toMatchObject({ stdout: "Nine.\n" });
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("Be a clerk.");
  expect(await run(app, ["ask", "--assistant", "Cook", "And now?"])).toEqual({
    ...{ stdout: "", code: 1 },
    stderr: 'There is no assistant "Cook"; there are: Clerk.\n',
  });
  expect(existsSync(join(app.dataDir, "meguri.server"))).toBe(true);
  await app.stop();
  expect(existsSync(join(app.dataDir, "meguri.server"))).toBe(false);
});

test("Ctrl+C stops the answer that is being written", async ({ startWithModel }) => {
  const { app } = await startWithModel([[say("It begins "), hang]]);
  const child = spawn(process.execPath, lineOf(app, ["ask", "Go on"]));
  child.stdin.end();
  await once(child.stdout, "data");
  child.kill("SIGINT");
  expect((await once(child, "close"))[0]).toBe(130);
  const { items } = await apiOf(app).get<{ items: { status: string }[] }>("/api/runs");
  expect(items).toMatchObject([{ status: "stopped" }]);
});

test("a call that needs a yes is asked about at a terminal, and elsewhere said with the address of its question", async ({
  startWithModel,
  gated,
}) => {
  gated.open();
  const { app } = await startWithModel(
    ({ toolResults }) =>
      toolResults.length === 0
        ? [callTools({ name: "gated__work", args: { key: "\u202Ek" } })]
        : [say(toolResults[0]?.includes("declined") ? "Not done." : "It is done.")],
    { mcpConfig: { mcpServers: { gated: gated.config } } },
  );
  const waits = await run(app, ["ask", "Do it"]);
  expect(waits).toMatchObject({ stdout: "", code: 3 });
  expect(waits.stderr).toMatch(/^It waits for you: answer at http:\/\/127\.0\.0\.1:\d+\/c\/\S+\.\n$/);
  expect(gated.calls()).toEqual([]);

  const denied = await runAtTerminal(app, ["ask", "Do it"], answer("n\r"));
  expect(denied).toMatchObject({ output: expect.stringContaining("Not done."), code: 0 });
  expect(denied.output).toContain("It wants to call gated__work:");
  expect(denied.output).toContain("\\u{202e}k");
  expect(gated.calls()).toEqual([]);

  const allowed = await runAtTerminal(app, ["ask", "Do it"], answer("maybe\r"), answer("y\r"));
  expect(allowed).toMatchObject({ output: expect.stringContaining("It is done."), code: 0 });
  expect(gated.calls()).toEqual(["work"]);

  // Ctrl+D leaves the question to the page, Ctrl+C stops the run.
  expect(await runAtTerminal(app, ["ask", "Do it"], answer("\u0004"))).toMatchObject({
    ...{ output: expect.stringContaining("answer at http://"), code: 3 },
  });
  expect((await runAtTerminal(app, ["ask", "Do it"], answer("\u0003"))).code).toBe(130);
  const { items } = await apiOf(app).get<{ items: { status: string }[] }>("/api/runs?limit=1");
  expect(items).toMatchObject([{ status: "stopped" }]);
  expect(gated.calls()).toEqual(["work"]);
});

test("a plan is answered at a terminal", async ({ startWithModel, gated }) => {
  gated.open();
  const work = callTools({ name: "gated__work", args: { key: "k" } });
  const steps = [{ tool: "gated__work", max: 2 }];
  const { app } = await startWithModel(
    ({ toolResults }) => {
      const last = toolResults.at(-1);
      if (last === undefined) return [callTools({ name: "meguri__propose_plan", args: { steps } })];
      if (/declined/.test(last)) return [say("Not planned.")];
      return toolResults.length < 3 ? [work] : [say("It is done.")];
    },
    { mcpConfig: { mcpServers: { gated: gated.config } } },
  );
  const api = apiOf(app);
  await api.patch("/api/settings", { rules: [{ pattern: "mcp:gated:*", effect: "plan" }] });
  await serversReady(app);
  const plan = (typed: string): Typed => ["Allow the plan? [y/n]", typed];
  const denied = await runAtTerminal(app, ["ask", "Do it"], plan("n\r"));
  expect(denied).toMatchObject({ output: expect.stringContaining("Not planned."), code: 0 });
  expect(denied.output).toContain("1. gated__work: up to 2 times, with any arguments");
  expect(gated.calls()).toEqual([]);
  const allowed = await runAtTerminal(app, ["ask", "Do it"], plan("y\r"));
  expect(allowed).toMatchObject({ output: expect.stringContaining("It is done."), code: 0 });
  expect(allowed.output).not.toContain("Run it?");
  expect(gated.calls()).toEqual(["work", "work"]);
});

test("a budget that is used up is asked about at a terminal", async ({ startWithModel, gated }) => {
  gated.open();
  const { app } = await startWithModel(
    ({ toolResults, tools }) =>
      toolResults.length < 2 && tools.length > 0
        ? [callTools({ name: "gated__work", args: { key: `${toolResults.length}` } })]
        : [say("That is all.")],
    { mcpConfig: { mcpServers: { gated: gated.config } } },
  );
  const rules = [{ pattern: "mcp:gated:*", effect: "allow" }];
  await apiOf(app).patch("/api/settings", { rules, limits: { budget: { toolCalls: 1 } } });
  await serversReady(app);
  const budget = (typed: string): Typed => ["Go on with as much again? [y/n]", typed];
  const more = await runAtTerminal(app, ["ask", "Do it"], budget("y\r"));
  expect(more).toMatchObject({ output: expect.stringContaining("That is all."), code: 0 });
  expect(more.output).toContain("Its budget is used up: 1 call.");
  expect(gated.calls()).toHaveLength(2);
  const finished = await runAtTerminal(app, ["ask", "Do it"], budget("n\r"));
  expect(finished).toMatchObject({ output: expect.stringContaining("That is all."), code: 0 });
  expect(gated.calls()).toHaveLength(3);
});

test("what a server asks is answered at a terminal, field by field, where each fits in a line", async ({
  startWithModel,
}) => {
  const reference = { command: "node", args: ["lib/mcp/testing/reference-server.mjs"] };
  let tool = "test_elicitation_sep1034_defaults";
  const { app } = await startWithModel(
    ({ toolResults }) =>
      toolResults.length === 0
        ? [callTools({ name: `reference__${tool}`, args: {} })]
        : [say(`It said ${toolResults[0]}.`)],
    { mcpConfig: { mcpServers: { reference } } },
  );
  await apiOf(app).patch("/api/settings", { rules: [{ pattern: "mcp:reference:*", effect: "allow" }] });
  await serversReady(app);
  const asked: Typed = ["Answer it? [y/n]", "y\r"];
  const filled = await runAtTerminal(
    app,
    ["ask", "Do it"],
    asked,
    ["name", "Ann\r"],
    ["age (30 if empty): ", "\r"],
    ["score", "much\r"],
    ["score", "7.5\r"],
    ["status (one of: active, inactive, pending;", "gone\r"],
    ["status", "Inactive\r"],
    ["verified (one of: y, n;", "n\r"],
  );
  expect(filled.output).toContain("reference asks: Defaults?");
  const [, content = "{}"] = /content=(\{.*?\})/.exec(filled.output) ?? [];
  expect(JSON.parse(content)).toEqual({
    name: "Ann",
    age: 30,
    score: 7.5,
    status: "inactive",
    verified: false,
  });
  const declined = await runAtTerminal(app, ["ask", "Do it"], ["Answer it? [y/n]", "n\r"]);
  expect(declined).toMatchObject({ output: expect.stringContaining("decline"), code: 0 });
  tool = "test_elicitation_sep1330_enums";
  const many = await runAtTerminal(app, ["ask", "Do it"]);
  expect(many).toMatchObject({
    output: expect.stringContaining("It waits for you: answer at http://"),
    code: 3,
  });
});
