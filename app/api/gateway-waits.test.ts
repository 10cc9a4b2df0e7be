import { expect, test } from "vitest";
import type { ConversationDetail, ConversationItem, ListedRun, Page, RunItem } from "@/lib/protocol/http";
import { getDeps } from "@/lib/server/entry/deps";
import { CallSweep } from "@/lib/server/gateway/call-sweep";
import { host } from "@/lib/server/testing/database-env";
import { ask, connect, newToken, origin, withGateway } from "./testing/mcp-client";

const fixture = (...args: string[]) => ({
  command: "node",
  args: ["lib/mcp/testing/fixture-server.mjs", ...args],
});
const plain = fixture("plain");
withGateway({ plain, notes: plain, mail: plain, drift: fixture("drift") });

type Connected = Awaited<ReturnType<typeof connect>>["client"];
type Answer = { content: { text: string }[]; isError?: boolean };

const echo = async (client: Connected, args: Record<string, unknown>, options = {}, name = "plain__echo") =>
  (await client.callTool({ name, arguments: args }, undefined, options)) as Answer;
const wordsOf = ({ content }: Answer) => content.map(({ text }) => text).join("\n");
const runOf = async (id: string): Promise<RunItem> => (await ask("GET", `/api/runs/${id}`)).json();
const waiting = async (name: string) => {
  const page = (await (await ask("GET", "/api/runs?kind=gateway&status=waiting")).json()) as Page<ListedRun>;
  return page.items.filter(({ gateway }) => gateway?.name === name);
};

/** The run of this client that waits, once it does. */
async function waitFor(name: string): Promise<ListedRun> {
  await expect.poll(async () => (await waiting(name)).length).toBe(1);
  const [run] = await waiting(name);
  if (!run) throw new Error("It waits no more.");
  return run;
}

async function answer(run: ListedRun, decision: string, more: object = {}) {
  const { pending } = await runOf(run.id);
  const body = { requestId: pending[0]?.requestId, decision, ...more };
  const response = await ask("POST", `/api/runs/${run.id}/answer`, body);
  expect(response.status).toBe(200);
  return response.json();
}

let count = 0;
/** A client of its own, by whose name its runs are found. */
async function begin(options: Parameters<typeof newToken>[0] = {}, capabilities = {}) {
  const name = `Client ${++count}`;
  const { value } = await newToken({ servers: ["plain"], ...options, name });
  return { name, token: value, ...(await connect(value, capabilities)) };
}

test("a call that must ask waits for a person in Meguri, tells progress meanwhile, and goes on with a yes", async () => {
  const { client, name } = await begin();
  const told: string[] = [];
  const call = echo(
    client,
    { a: 1 },
    { onprogress: ({ message }: { message?: string }) => told.push(message ?? "") },
  );
  const run = await waitFor(name);
  expect((await runOf(run.id)).pending).toMatchObject([
    { type: "approval_request", reason: "rule", call: { name: "plain__echo", args: { a: 1 } } },
  ]);
  await expect
    .poll(() => told[0])
    .toMatch(new RegExp(`^Waiting for you in Meguri: http://${host.split(":")[0]}:\\d+/runs/${run.id}$`));
  await answer(run, "approve");
  expect(await call).toEqual({ content: [{ type: "text", text: 'echo {"a":1}' }] });
  expect(await waiting(name)).toEqual([]);
});

test("a no reaches the client with its reason, and changed arguments are told", async () => {
  const { client, name } = await begin();
  const first = echo(client, { a: 1 });
  await answer(await waitFor(name), "deny", { reason: "only look, for now" });
  expect(await first).toMatchObject({ isError: true, content: [{ text: "only look, for now" }] });
  const second = echo(client, { a: 1 });
  await answer(await waitFor(name), "approve", { args: { a: 2 } });
  expect(wordsOf(await second)).toMatch(/changed the arguments.*\{"a":2\}.*\necho \{"a":2\}/s);
});

test("what is allowed for the run is allowed in the session of the client, and in no other", async () => {
  const { client, name, token } = await begin();
  const first = echo(client, { a: 1 });
  await answer(await waitFor(name), "approve_run");
  await first;
  expect(wordsOf(await echo(client, { b: 2 }))).toBe('echo {"b":2}');
  const { client: other } = await connect(token);
  const asked = echo(other, { c: 3 });
  await answer(await waitFor(name), "deny");
  expect((await asked).isError).toBe(true);
});

test("a request that the client cancels takes its question back", async () => {
  const { client, name } = await begin();
  const end = new AbortController();
  const call = expect(echo(client, { a: 1 }, { signal: end.signal })).rejects.toThrow();
  const run = await waitFor(name);
  end.abort("enough");
  await call;
  await expect.poll(async () => (await runOf(run.id)).status).toBe("stopped");
  const late = await ask("POST", `/api/runs/${run.id}/answer`, { requestId: "any", decision: "approve" });
  expect(late.status).toBe(409);
});

test("who has waited long enough is told so; a yes after that is taken by the same call, once", async () => {
  const { client, name } = await begin({ waitMs: 1_000 });
  const answered = await echo(client, { a: 1, b: [2] });
  expect(answered.isError).toBe(true);
  expect(wordsOf(answered)).toContain("call the tool again with the same arguments");
  const run = await waitFor(name);
  expect(await answer(run, "approve")).toEqual({ runId: null, pending: 0 });
  expect((await runOf(run.id)).status).toBe("waiting");
  // Nothing has run: nobody would have heard of it.
  const { store } = await getDeps();
  const log = await store.log.read(run.id, 0, 100);
  expect(log.map(({ data }) => data.type)).not.toContain("tool_start");
  // Other arguments are another call.
  expect((await echo(client, { a: 2 })).isError).toBe(true);
  expect(wordsOf(await echo(client, { b: [2], a: 1 }))).toBe('echo {"a":1,"b":[2]}');
  expect((await echo(client, { a: 1, b: [2] })).isError).toBe(true);
});

test("a call that is made again while its question is open waits for the same answer", async () => {
  const { client, name } = await begin({ waitMs: 1_000 });
  await echo(client, { a: 1 });
  const run = await waitFor(name);
  const again = echo(client, { a: 1 });
  await expect.poll(async () => (await getDeps()).runs.awaited.size).toBe(1);
  await answer(run, "approve");
  expect(wordsOf(await again)).toBe('echo {"a":1}');
  expect(await waiting(name)).toEqual([]);
});

test("a question whose program does not call again is taken back after ten minutes", async () => {
  const { client, name } = await begin({ waitMs: 1_000 });
  await echo(client, { a: 1 });
  const run = await waitFor(name);
  const deps = await getDeps();
  const sweep = new CallSweep(deps);
  await sweep.look();
  expect((await runOf(run.id)).status).toBe("waiting");
  const { db } = deps.store.accounts.database;
  await db
    .updateTable("run")
    .set({ ended_at: Date.now() - 602_000 })
    .where("id", "=", run.id)
    .execute();
  await sweep.look();
  expect((await runOf(run.id)).status).toBe("stopped");
  await sweep.close();
});

test("a client whose token says so fails at once, and nothing waits", async () => {
  const { client, name } = await begin({ onApproval: "fail" });
  const answered = await echo(client, { a: 1 });
  expect(answered.isError).toBe(true);
  expect(wordsOf(answered)).toContain("needs a person's yes");
  expect(await waiting(name)).toEqual([]);
});

test("a person stops a call that waits, and the client hears it", async () => {
  const { client, name } = await begin();
  const call = echo(client, { a: 1 });
  const run = await waitFor(name);
  expect((await ask("POST", `/api/runs/${run.id}/stop`, {})).status).toBe(200);
  expect(wordsOf(await call)).toContain("stopped it in Meguri");
});

test("a definition that has changed asks although its tool was allowed", async () => {
  const { client, name } = await begin({ servers: ["drift"] });
  const change = echo(client, {}, {}, "drift__change");
  await answer(await waitFor(name), "approve");
  await change;
  const call = echo(client, {}, {}, "drift__shifty");
  const run = await waitFor(name);
  expect((await runOf(run.id)).pending).toMatchObject([{ reason: "changed_definition" }]);
  await answer(run, "deny");
  expect((await call).isError).toBe(true);
});

test("what one server has returned is asked about before another one gets it, in this session", async () => {
  const secret = "Salaries 2026: Abe 91,000, Berta 87,500, Carl 64,000";
  const allow = (list: unknown) => ask("PATCH", "/api/settings", { rules: list });
  await allow([{ pattern: "mcp:*:*", effect: "allow" }]);
  const { client, name, token } = await begin({ servers: ["notes", "mail"] });
  await echo(client, { text: secret }, {}, "notes__echo");
  const call = echo(client, { text: `Dear all: ${secret}` }, {}, "mail__echo");
  const run = await waitFor(name);
  expect((await runOf(run.id)).pending).toMatchObject([
    { reason: "data_flow", flows: [{ server: "notes", tool: "echo", argument: "text" }] },
  ]);
  await answer(run, "deny");
  expect((await call).isError).toBe(true);
  // Another session has seen nothing of it.
  const { client: other } = await connect(token);
  expect(wordsOf(await echo(other, { text: secret }, {}, "mail__echo"))).toContain("Salaries");
  await allow([]);
});

test("a client that can shows the question to its person, and its answer counts", async () => {
  const { client, name } = await begin({}, { elicitation: {} });
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const shown: string[] = [];
  const answers = [
    { action: "accept", content: { decision: "deny", reason: "not today" } },
    { action: "decline" },
    { action: "accept", content: { decision: "approve_run" } },
  ] as const;
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    shown.push(params.message);
    return answers[shown.length - 1] ?? { action: "cancel" };
  });
  expect(wordsOf(await echo(client, { a: 1 }))).toBe("not today");
  expect(shown[0]).toContain("May plain__echo be called?");
  expect((await echo(client, { a: 1 })).isError).toBe(true);
  expect(wordsOf(await echo(client, { a: 1 }))).toBe('echo {"a":1}');
  expect(wordsOf(await echo(client, { a: 2 }))).toBe('echo {"a":2}');
  expect(shown).toHaveLength(3);
  expect(await waiting(name)).toEqual([]);
});

test("a question that is put away at the client stays open in Meguri, and one that was answered there is taken back at the client", async () => {
  const { client, name } = await begin({}, { elicitation: { form: {} } });
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const taken = Promise.withResolvers<void>();
  let isFirst = true;
  client.setRequestHandler(ElicitRequestSchema, (_, { signal }) => {
    if (isFirst) {
      isFirst = false;
      return { action: "cancel" as const };
    }
    signal.addEventListener("abort", () => taken.resolve());
    return new Promise<never>(() => {});
  });
  const first = echo(client, { a: 1 });
  await answer(await waitFor(name), "approve");
  expect((await first).isError).toBeUndefined();
  const second = echo(client, { a: 2 });
  await answer(await waitFor(name), "approve");
  await second;
  await taken.promise;
});

test("another token, and another session, answer nothing", async () => {
  const { client, name, transport } = await begin({}, { elicitation: {} });
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  client.setRequestHandler(ElicitRequestSchema, () => new Promise<never>(() => {}));
  const call = echo(client, { a: 1 });
  const run = await waitFor(name);
  const { pending } = await runOf(run.id);
  const { transport: foreign } = await begin();
  const message = {
    jsonrpc: "2.0" as const,
    id: `${run.id}:${pending[0]?.requestId}`,
    result: { action: "accept", content: { decision: "approve" } },
  };
  await foreign.send(message);
  expect((await runOf(run.id)).status).toBe("waiting");
  await transport.send(message);
  expect(wordsOf(await call)).toBe('echo {"a":1}');
});

test("a client whose connection breaks finds the yes when it calls again in the same session", async () => {
  const { client, name, token, transport } = await begin();
  const lost = expect(echo(client, { a: 1 })).rejects.toThrow();
  const run = await waitFor(name);
  await transport.close();
  await lost;
  const { runs } = await getDeps();
  await expect.poll(() => runs.awaited.size).toBe(0);
  expect(await answer(run, "approve")).toEqual({ runId: null, pending: 0 });
  const again = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "mcp-session-id": transport.sessionId ?? "" },
      ...{ accept: "application/json, text/event-stream", "content-type": "application/json" },
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 7, method: "tools/call" },
      params: { name: "plain__echo", arguments: { a: 1 } },
    }),
  });
  expect(await again.text()).toContain('echo {\\"a\\":1}');
});

test("while a call waits, the session stands among the conversations with its question, and not before or after", async () => {
  const listed = async (): Promise<ConversationItem[]> =>
    ((await (await ask("GET", "/api/conversations")).json()) as Page<ConversationItem>).items.filter(
      ({ title }) => title === name,
    );
  const { client, name } = await begin();
  expect(await listed()).toEqual([]);
  const [first, second] = [echo(client, { a: 1 }), echo(client, { a: 2 })];
  await expect.poll(async () => (await waiting(name)).length).toBe(2);
  const shown = await listed();
  expect(shown).toMatchObject([{ title: name, status: "waiting", readOnly: true }]);
  const detail = (await (
    await ask("GET", `/api/conversations/${shown[0]?.id}`)
  ).json()) as ConversationDetail;
  expect(detail.runs.at(-1)).toMatchObject({ status: "waiting", gateway: { name } });
  const [newest, oldest] = await waiting(name);
  if (!newest || !oldest) throw new Error("Two wait.");
  await answer(newest, "deny");
  expect(await listed()).toHaveLength(1);
  await answer(oldest, "deny");
  await Promise.all([first, second]);
  await expect.poll(listed).toEqual([]);
});
