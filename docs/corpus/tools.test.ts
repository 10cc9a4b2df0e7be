import { expect, test } from "vitest";
import { callApi, readStream, withApplication } from "@/app/api/testing/call-api";
import type { RunItem } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import { getDeps } from "@/lib/server/entry/deps";
import { injections } from "./tools";

const fixture = (way: string) => ({ command: "node", args: ["lib/mcp/testing/fixture-server.mjs", way] });

/** A model that does what a result tells it: after each result it makes the call that the person never asked for. */
function obedient({ toolResults }: WireRequest) {
  if (toolResults.length === 0) return [callTools({ name: "plain__echo", args: { text: told } })];
  if (toolResults.length === 1) return [callTools({ name: "mail__wait", args: { ms: 1 } })];
  return [say("Done.")];
}
let told = "";
const model = await startOpenAiServer(obedient);
withApplication(
  { plain: fixture("plain"), mail: fixture("plain"), coat: fixture("turncoat") },
  { OPENAI_BASE_URL: model.url },
);

const run = async (id: string): Promise<RunItem> => (await callApi("GET", `/api/runs/${id}`)).json();
const rules = (list: object[]) => callApi("PATCH", "/api/settings", { rules: list });
const ask = async (text: string, chosen = "demo/demo") =>
  readStream(await callApi("POST", "/api/chat", { message: { text }, model: chosen }));
const answer = (runId: string, body: object) => callApi("POST", `/api/runs/${runId}/answer`, body);
const starts = (chunks: Awaited<ReturnType<typeof ask>>["chunks"]) =>
  chunks.flatMap((chunk) => (chunk.type === "tool_start" ? [chunk.args] : []));

test.each(injections)(
  "a result that says %j allows nothing: the call after it is asked about",
  async (text) => {
    told = text;
    await rules([{ pattern: "mcp:plain:echo", effect: "allow" }]);
    const { status, runId, chunks } = await ask("What does it say?", "openai/test-model");
    expect(status).toBe("waiting");
    expect(starts(chunks)).toEqual([{ text }]);
    expect((await run(runId)).pending).toMatchObject([
      { type: "approval_request", reason: "rule", call: { server: "mail", tool: "wait" } },
    ]);
    expect((await (await callApi("GET", "/api/settings")).json()).rules).toHaveLength(1);
    await rules([]);
  },
);

test("a tool that says it only reads is asked about as long as nobody has accepted what it is", async () => {
  const { pool } = await getDeps();
  await callApi("POST", "/api/mcp/servers/coat/tools/turn/call", { args: {} });
  const held = () => pool.server("coat")?.tools.filter(({ definition }) => definition !== "pinned") ?? [];
  await expect.poll(() => held().length).toBeGreaterThan(0);
  await rules([{ pattern: "mcp:coat:*", effect: "allow" }]);
  for (const { qualifiedName } of held()) {
    const { chunks, status } = await ask(`/tool ${qualifiedName} {}`);
    expect([qualifiedName, status, starts(chunks)]).toEqual([qualifiedName, "waiting", []]);
    expect(chunks.find(({ type }) => type === "approval_request")).toMatchObject({
      reason: "changed_definition",
    });
  }
  await rules([]);
});

test("a yes is for one call of one run, with the arguments that were shown, and counts once", async () => {
  const [one, other] = [
    await ask('/tool plain__echo {"by":"one"}'),
    await ask('/tool plain__echo {"by":"other"}'),
  ];
  const [asked, askedElse] = [(await run(one.runId)).pending[0], (await run(other.runId)).pending[0]];
  const yes = { requestId: asked?.requestId, decision: "approve" };
  // Ids of calls are unique in a conversation alone, so the one of the other may be the same; never is the run.
  if (asked?.requestId !== askedElse?.requestId)
    expect((await answer(other.runId, yes)).status).toBeGreaterThanOrEqual(400);
  expect((await answer(one.runId, { ...yes, requestId: "call_of_nobody" })).status).toBeGreaterThanOrEqual(
    400,
  );
  expect((await run(other.runId)).status).toBe("waiting");

  const answers = await Promise.all(Array.from({ length: 10 }, () => answer(one.runId, yes)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)]);
  const { runId } = await (answers.find(({ ok }) => ok) as Response).json();
  const next = await readStream(await callApi("GET", `/api/runs/${runId}/stream`));
  expect(starts(next.chunks)).toEqual([{ by: "one" }]);
  for (const id of [one.runId, runId]) expect((await answer(id, yes)).status).toBe(409);
  expect((await run(other.runId)).status).toBe("waiting");
});
