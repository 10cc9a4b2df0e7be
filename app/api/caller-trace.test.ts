import { expect, test } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import { readStream } from "./testing/call-api";
import { connect, launchToken, newToken, origin, withGateway } from "./testing/mcp-client";
import { attributesOf, type OtlpSpan, startCollector } from "./testing/otlp-collector";

const collector = await startCollector();
withGateway(
  { meta: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "meta"] } },
  { TOOL_APPROVAL: "allow", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
);

const traceOf = (letter: string) => letter.repeat(32);
const spanOf = (letter: string) => letter.repeat(16);
const parentOf = (letter: string, version = "00") => `${version}-${traceOf(letter)}-${spanOf(letter)}-01`;
const post = (path: string, body: unknown, headers: Record<string, string>, token = launchToken) =>
  fetch(`${origin}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
async function chat(headers: Record<string, string>): Promise<string> {
  const run = await readStream(await post("/api/chat", { message: { text: "Hello." } }, headers));
  expect(run.status).toBe("completed");
  return run.runId;
}

const invalid = {
  "no trace": parentOf("0"),
  "no span": `00-${traceOf("a")}-${spanOf("0")}-01`,
  "capital letters": parentOf("A"),
  "a version that is none": parentOf("b", "ff"),
  "fields that this version does not have": `${parentOf("c")}-more`,
  "one that is too short": `00-${traceOf("d").slice(1)}-${spanOf("d")}-01`,
  "one that never ends": `${parentOf("e", "01")}-${"x".repeat(1_000)}`,
  "something else": "Tuesday",
};

test("runs stand in the trace that their caller names, however it has come, and in one of their own where it names none", async () => {
  await chat({ traceparent: parentOf("1"), tracestate: "vendor=one" });
  await chat({ traceparent: `${parentOf("2", "01")}-later`, tracestate: "x".repeat(600) });
  const hello = { model: "demo/demo", messages: [{ role: "user", content: "Hello." }] };
  const completion = await post("/v1/chat/completions", hello, { traceparent: parentOf("3") });
  expect(completion.status).toBe(200);
  const { value } = await newToken({ servers: ["meta"] });
  const { client } = await connect(value);
  const call = { name: "meta__meta", arguments: {} };
  const told = await client.callTool({ ...call, _meta: { traceparent: parentOf("4") } });
  // What the server is told is the span of its call, in the same trace.
  expect(JSON.stringify(told.content)).toMatch(new RegExp(`00-${traceOf("4")}-(?!${spanOf("4")})`));
  const byHeader = await send(value, { traceparent: parentOf("5") });
  expect(byHeader).toContain(`00-${traceOf("5")}-`);
  const byBoth = await send(value, { traceparent: parentOf("6") }, { traceparent: parentOf("7") });
  expect(byBoth).toContain(`00-${traceOf("7")}-`);
  const alone = await Promise.all(Object.values(invalid).map((traceparent) => chat({ traceparent })));
  const unsampled = await chat({ traceparent: `00-${traceOf("8")}-${spanOf("8")}-00` });
  await (await getDeps()).tracing?.close();

  const roots = collector.spans.filter(({ name }) => name === "invoke_agent meguri");
  const inTrace = (letter: string) => roots.filter(({ traceId }) => traceId === traceOf(letter));
  for (const letter of ["1", "2", "3", "4", "5", "7"])
    expect(
      inTrace(letter).map(({ parentSpanId }) => parentSpanId),
      letter,
    ).toEqual([spanOf(letter)]);
  expect(inTrace("6")).toEqual([]);
  expect([inTrace("1")[0]?.traceState, inTrace("2")[0]?.traceState]).toEqual(["vendor=one", ""]);
  const runOf = (span: OtlpSpan) => attributesOf(span)["meguri.run.id"];
  for (const [index, name] of Object.keys(invalid).entries())
    expect(roots.find((span) => runOf(span) === alone[index])?.parentSpanId, name).toBeUndefined();
  expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(6 + alone.length);
  // Who is not sampled is not exported.
  expect(roots.map(runOf)).not.toContain(unsampled);
});

/** One call as a program sends it that speaks MCP by itself, in a session of its own. */
async function send(token: string, headers: Record<string, string>, _meta?: object): Promise<string> {
  const { transport } = await connect(token);
  const sent = { accept: "application/json, text/event-stream", "mcp-session-id": transport.sessionId ?? "" };
  const params = { name: "meta__meta", arguments: {}, ...(_meta && { _meta }) };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  return (await post("/mcp", call, { ...sent, ...headers }, token)).text();
}
