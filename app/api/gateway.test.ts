import { expect, test } from "vitest";
import type { ListedRun, Page, RunItem } from "@/lib/protocol/http";
import { ask, connect, connectNew, newToken, origin, withGateway } from "./testing/mcp-client";

const fixture = (...args: string[]) => ({
  command: "node",
  args: ["lib/mcp/testing/fixture-server.mjs", ...args],
});

withGateway(
  {
    everything: {
      command: "node",
      args: ["node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"],
    },
    plain: { ...fixture("plain"), disabledTools: ["environment"] },
    meta: fixture("meta"),
    burst: fixture("burst"),
    cancel: fixture("cancel"),
    drift: fixture("drift"),
    refuser: fixture("refuser"),
    crasher: fixture("crasher"),
    names: fixture("names"),
    huge: fixture("huge"),
  },
  { TOOL_APPROVAL: "allow" },
);

const text = (content: string) => ({ content: [{ type: "text", text: content }] });
const namesOf = async (client: Awaited<ReturnType<typeof connect>>["client"]) =>
  (await client.listTools()).tools.map(({ name }) => name);
const lastRuns = async () => {
  const answer = await ask("GET", "/api/runs?kind=gateway&limit=5");
  return ((await answer.json()) as Page<ListedRun>).items;
};

test("a client has the tools of its servers, under their qualified names, as they were accepted", async () => {
  const { value } = await newToken({ servers: ["everything", "plain"] });
  const { client } = await connect(value);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["everything__echo", "plain__echo", "plain__wait"]));
  expect(names).not.toContain("plain__environment");
  expect(names.filter((name) => !/^(everything|plain)__/.test(name))).toEqual([]);
  expect(tools.find(({ name }) => name === "everything__get-structured-content")).toMatchObject({
    title: expect.any(String),
    inputSchema: { type: "object", properties: { location: { type: "string" } } },
    outputSchema: { type: "object", properties: { temperature: { type: "number" } } },
  });
});

test("a client that was given no servers in particular has all, and one of one server may have its own names", async () => {
  const all = await connect((await newToken()).value);
  for (const name of ["plain__echo", "everything__echo"]) {
    const { content } = await all.client.callTool({ name, arguments: { message: "It is here." } });
    expect(JSON.stringify(content)).toContain("It is here.");
  }
  const plain = await connect((await newToken({ servers: ["plain"], names: "plain" })).value);
  expect((await namesOf(plain.client)).toSorted()).toEqual(["echo", "wait"]);
  expect(await plain.client.callTool({ name: "echo", arguments: { a: 1 } })).toEqual(text('echo {"a":1}'));
  const odd = await connect((await newToken({ servers: ["names"], names: "plain" })).value);
  for (const name of ["__proto__", "🦊", "constructor"])
    expect(await odd.client.callTool({ name })).toEqual(text(`called ${name}`));
});

test("the token of one client never reaches another's servers", async () => {
  const { client } = await connect((await newToken({ servers: ["plain"] })).value);
  const { client: other } = await connect((await newToken({ servers: ["meta"] })).value);
  expect(await namesOf(client)).not.toContain("meta__meta");
  const before = await lastRuns();
  for (const name of ["meta__meta", "meta", "plain__environment", "nothing", "echo"])
    await expect(client.callTool({ name })).rejects.toMatchObject({ code: -32_602 });
  expect(await lastRuns()).toEqual(before);
  expect(await other.callTool({ name: "meta__fail", arguments: { words: "no way" } })).toEqual({
    ...text("no way"),
    isError: true,
  });
});

test("images, links, embedded resources and structured content are passed on as they came", async () => {
  const { client } = await connect((await newToken({ servers: ["everything"] })).value);
  const call = (name: string, args = {}) =>
    client.callTool({ name: `everything__${name}`, arguments: args }) as Promise<{
      content: { type: string }[];
    }>;
  await client.listTools();
  const image = await call("get-tiny-image");
  expect(image.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
  expect(image.content[1]).toMatchObject({ mimeType: "image/png", data: expect.stringMatching(/^iVBOR/) });
  expect(await call("get-structured-content", { location: "Chicago" })).toMatchObject({
    structuredContent: { temperature: expect.any(Number), conditions: expect.any(String) },
  });
  expect((await call("get-resource-links", { count: 2 })).content).toContainEqual(
    expect.objectContaining({ type: "resource_link", uri: expect.stringContaining("demo://") }),
  );
  const reference = await call("get-resource-reference", { resourceType: "Text", resourceId: 1 });
  expect(reference.content).toContainEqual(
    expect.objectContaining({
      type: "resource",
      resource: expect.objectContaining({ uri: expect.any(String) }),
    }),
  );
  expect(
    (await call("get-annotated-message", { messageType: "error", includeImage: true })).content[0],
  ).toMatchObject({
    annotations: { priority: 1, audience: ["user", "assistant"] },
  });
});

test("what a tool and what a server refuses reach the client, and so does that a server has died", async () => {
  const { client } = await connect((await newToken({ servers: ["refuser", "crasher"] })).value);
  const words = async (name: string, args = {}) => {
    const answer = await client.callTool({ name, arguments: args });
    const [part] = answer.content as { text: string }[];
    return [answer.isError, part?.text];
  };
  expect(await words("refuser__fail")).toEqual([true, "The shelf is empty."]);
  expect(await words("refuser__refuse")).toEqual([
    true,
    expect.stringContaining("The shelf has fallen over."),
  ]);
  expect(await words("crasher__crash", { file: "/dev/null" })).toEqual([true, expect.any(String)]);
  expect(await words("crasher__crash", { file: 5, more: "x".repeat(10) })).toEqual([
    true,
    expect.any(String),
  ]);
});

test("arguments that do not fit the schema are not sent, and the client reads what is wrong", async () => {
  const { client } = await connect((await newToken({ servers: ["everything"] })).value);
  const answer = await client.callTool({ name: "everything__get-sum", arguments: { a: "one" } });
  expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("a") }] });
});

test("progress reaches the client", async () => {
  const { client } = await connect((await newToken({ servers: ["burst"] })).value);
  const told: number[] = [];
  const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }) => {
    told.push(progress);
    expect(total).toBe(5);
  };
  expect(await client.callTool({ name: "burst__steps" }, undefined, { onprogress })).toEqual(text("done"));
  expect(told.length).toBeGreaterThanOrEqual(3);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
});

test("a request that the client cancels is cancelled at the server, and its run is stopped", async () => {
  const { client } = await connect((await newToken({ servers: ["cancel"], name: "Canceller" })).value);
  const end = new AbortController();
  const call = client.callTool({ name: "cancel__endless" }, undefined, { signal: end.signal });
  const runs = async () => (await lastRuns()).filter(({ gateway }) => gateway?.name === "Canceller");
  await expect.poll(async () => (await runs())[0]?.status).toBe("running");
  const sent = async () =>
    (await (await ask("GET", "/api/mcp/servers/cancel/logs")).text()).includes("tools/call endless");
  await expect.poll(sent).toBe(true);
  end.abort("enough");
  await expect(call).rejects.toThrow();
  await expect.poll(async () => (await runs())[0]?.status).toBe("stopped");
  const answer = await client.callTool({ name: "cancel__cancelled" });
  expect(JSON.stringify(answer.content)).toContain("given up");
});

test("each call is a run with the name of its client, and with its result", async () => {
  const { value, id } = await newToken({ servers: ["plain"], name: "The editor" });
  const { client } = await connect(value);
  await client.callTool({ name: "plain__echo", arguments: { a: "b" } });
  await expect.poll(async () => (await lastRuns())[0]?.status).toBe("completed");
  const [listed] = await lastRuns();
  expect(listed).toMatchObject({
    question: "plain__echo",
    gateway: { tokenId: id, name: "The editor", program: "an-editor" },
    usage: { inputTokens: 0, outputTokens: 0 },
  });
  const run: RunItem = await (await ask("GET", `/api/runs/${listed?.id}`)).json();
  expect(run.iterations).toMatchObject([{ toolCalls: [{ name: "plain__echo", status: "ok" }] }]);
  const all = (await (await ask("GET", "/api/conversations")).json()) as Page<unknown>;
  expect(all.items).toEqual([]);
});

test("a client is told when its tools change, and reads of a changed one what was accepted", async () => {
  const { client } = await connect((await newToken({ servers: ["drift"] })).value);
  const changed = Promise.withResolvers<void>();
  client.setNotificationHandler(
    (await import("@modelcontextprotocol/sdk/types.js")).ToolListChangedNotificationSchema,
    () => changed.resolve(),
  );
  expect((await namesOf(client)).toSorted()).toEqual(["drift__change", "drift__shifty", "drift__steady"]);
  await client.callTool({ name: "drift__change" });
  await changed.promise;
  const { tools } = await client.listTools();
  const described = Object.fromEntries(tools.map(({ name, description }) => [name, description]));
  expect(described.drift__shifty).toBe("The tool shifty.");
  expect(described.drift__newcomer).toMatch(/^New\./);
});

test("the client of the successor of that SDK falls back to what is spoken here", async () => {
  const client = await connectNew((await newToken({ servers: ["plain"] })).value);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("plain__echo");
  expect(await client.callTool({ name: "plain__echo", arguments: { a: 1 } })).toEqual(text('echo {"a":1}'));
});

test("calls that are made at once are all answered", async () => {
  const { value } = await newToken({ servers: ["plain"] });
  const clients = await Promise.all(Array.from({ length: 20 }, () => connect(value)));
  const answers = await Promise.all(
    clients.flatMap(({ client }, at) =>
      Array.from({ length: 10 }, (_, call) =>
        client.callTool({ name: "plain__echo", arguments: { at, call } }),
      ),
    ),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(200);
});

test("a result that is too long is passed on whole, and the run keeps its beginning", async () => {
  const { client } = await connect((await newToken({ servers: ["huge"] })).value);
  const answer = (await client.callTool({ name: "huge__long" })) as { content: { text: string }[] };
  expect(answer.content[0]?.text.endsWith("end")).toBe(true);
});

/** One call as it goes over the wire, in a session of its own. */
async function openWire(token: string) {
  const post = (message: object, session = "") =>
    fetch(`${origin}/mcp`, {
      method: "POST",
      headers: {
        ...{ accept: "application/json, text/event-stream", "content-type": "application/json" },
        ...{ authorization: `Bearer ${token}`, ...(session && { "mcp-session-id": session }) },
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const clientInfo = { name: "a wire", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const begun = await post({ id: 1, method: "initialize", params });
  const session = begun.headers.get("mcp-session-id") ?? "";
  await begun.text();
  const call = (id: number, name: string, args: object = {}, _meta?: object) =>
    post({ id, method: "tools/call", params: { name, arguments: args, ...(_meta && { _meta }) } }, session);
  return {
    call,
    cancel: (requestId: number) =>
      post({ method: "notifications/cancelled", params: { requestId } }, session),
  };
}

test("a call that is answered soon is answered by JSON; one that takes longer, or tells of itself, by events", async () => {
  const { call, cancel } = await openWire((await newToken({ servers: ["plain", "burst"] })).value);
  const typeOf = ({ headers }: Response) => headers.get("content-type");
  // Nothing is called for it, so that it comes soon on every machine; what a call takes depends on it.
  const wrong = await call(2, "plain__nothing");
  expect(typeOf(wrong)).toBe("application/json");
  expect(await wrong.json()).toMatchObject({ id: 2, error: { code: -32602 } });
  const echoed = await (await call(5, "plain__echo", { a: 1 })).text();
  expect(JSON.parse(echoed.slice(echoed.indexOf("{")))).toEqual({
    ...{ jsonrpc: "2.0", id: 5 },
    result: text('echo {"a":1}'),
  });
  const later = await call(6, "plain__wait", { ms: 60 });
  expect(typeOf(later)).toBe("text/event-stream");
  expect(await later.text()).toBe(
    `event: message\ndata: ${JSON.stringify({ result: text('echo {"ms":60}'), jsonrpc: "2.0", id: 6 })}\n\n`,
  );
  const before = (await lastRuns())[0]?.id;
  const cancelled = call(8, "plain__wait", { ms: 60_000 });
  await expect.poll(async () => (await lastRuns())[0]?.id).not.toBe(before);
  await cancel(8);
  expect(await (await cancelled).text()).toBe("");
});
