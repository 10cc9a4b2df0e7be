import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { DataUsage } from "@/lib/protocol/data";
import type { ModelRequest } from "@/lib/protocol/http";
import type { WireRecord } from "@/lib/protocol/wire";
import { startAnthropicServer } from "@/lib/providers/testing/anthropic-server";
import { startGeminiServer } from "@/lib/providers/testing/gemini-server";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { startResponsesServer } from "@/lib/providers/testing/responses-server";
import { callTools, cut, fail, raw, type Step, say } from "@/lib/providers/testing/steps";
import { restorableMs } from "@/lib/server/conversations/delete-conversation";
import { purgeDeleted } from "@/lib/server/conversations/purge";
import { getDeps } from "@/lib/server/entry/deps";
import { storedWith } from "@/lib/server/testing/stored-files";
import { countRows } from "@/lib/server/testing/stored-rows";
import { callApi, readStream, withApplication } from "./testing/call-api";

/** Each model's server plays these turns; the address of the plain one answers with bytes as they are. */
const script: { turns: Step[][] } = { turns: [] };
const play = () => script.turns.shift() ?? [say("Fine.")];
const servers = {
  google: await startGeminiServer(play),
  anthropic: await startAnthropicServer(play),
  openai: await startOpenAiServer(play),
  responses: await startResponsesServer(play),
  ollama: await startOpenAiServer(play),
};
let plain: (response: ServerResponse) => void = () => {};
const plainServer = createServer((incoming, response) => incoming.resume().on("end", () => plain(response)));
await new Promise<void>((resolve) => plainServer.listen(0, "127.0.0.1", resolve));
const plainUrl = `http://127.0.0.1:${(plainServer.address() as AddressInfo).port}/v1`;
afterAll(async () => {
  for (const server of Object.values(servers)) await server.close();
  plainServer.closeAllConnections();
  plainServer.close();
});

/** What must stand nowhere. */
const canary = 'canary-7f3a-"never"/kept';
const key = "sk-canary-0123456789-never-kept";
const password = "canary-password-never-kept";
/** Too short to be looked for in a body. */
const short = { "X-Mode": "m-1", Accept: "m/2" };
const own = { authorization: `Token ${key}`, "X-Team": canary, "User-Agent": `agent-${key}`, ...short };
const endpoint = (id: string, baseURL: string, api: string) => ({
  ...{ id, name: id, baseURL, api, models: ["m"], headers: own },
});
const folder = await mkdtemp(join(tmpdir(), "meguri-wire-"));
afterAll(() => rm(folder, { recursive: true }));
withApplication(
  {
    filesystem: {
      command: "node",
      args: ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", folder],
    },
  },
  {
    AGENTS_DIR: "agents",
    ...{ GOOGLE_GENERATIVE_AI_API_KEY: key, GOOGLE_GENERATIVE_AI_BASE_URL: servers.google.url },
    ...{ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: servers.anthropic.url },
    ...{ OPENAI_API_KEY: key, OPENAI_BASE_URL: servers.openai.url },
    OLLAMA_BASE_URL: servers.ollama.url.replace("/v1", ""),
    MEGURI_ENDPOINTS: JSON.stringify([
      endpoint("lab", servers.responses.url, "responses"),
      endpoint("chat", servers.openai.url, "chat"),
      {
        ...endpoint("plain", plainUrl, "chat"),
        headers: { ...own, "X-Basic": `Basic ${btoa(`somebody:${password}`)}` },
      },
    ]),
  },
);
beforeEach(async () => {
  script.turns = [];
  await callApi("PATCH", "/api/settings", { recordWire: false });
});

const models = {
  google: "google/gemini-2.5-flash",
  anthropic: "anthropic/claude-sonnet-5",
  openai: "openai/test-model",
  responses: "lab/m",
  ollama: "ollama/test-model",
};

const ask = async (model: string, body: object = { options: { recordWire: true } }) => {
  const response = await callApi("POST", "/api/chat", {
    message: { text: "Look" },
    model,
    servers: [],
    ...body,
  });
  return readStream(response);
};
const request = async (runId: string, index = 1): Promise<ModelRequest> => {
  const response = await callApi("GET", `/api/runs/${runId}/requests/${index}`);
  expect(response.status).toBe(200);
  return response.json();
};
const wireOf = async (runId: string, index = 1): Promise<WireRecord> => {
  const { wire } = await request(runId, index);
  if (!wire) throw new Error("The wire was not recorded.");
  return wire;
};

const expectNoKeys = async (told: unknown) => {
  const text = JSON.stringify(told);
  for (const secret of [key, password, canary, encodeURIComponent(canary), "canary-7f3a"]) {
    expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(await storedWith(secret)).toEqual([]);
  }
};
const countRecords = () => countRows("wire_record");

describe("what goes over the wire", () => {
  test.each(Object.entries(models))("is told as it was for %s, without keys", async (name, model) => {
    // Who has no key cannot tell it.
    const echo = name === "ollama" ? "." : key;
    script.turns = [[raw(`: ${echo}\n\n`), say("Found it.", { pieces: 2 })]];
    const { runId, status } = await ask(model);
    expect(status).toBe("completed");
    const wire = await wireOf(runId);
    const sent = servers[name as keyof typeof servers].requests.at(-1);
    expect(JSON.parse(wire.request.body)).toEqual(sent?.body);
    expect(wire.request).toMatchObject({ method: "POST", truncated: false });
    expect(wire.request.bytes).toBe(Buffer.byteLength(wire.request.body));
    expect(new URL(wire.request.url).pathname).toBe(new URL(sent?.path ?? "", wire.request.url).pathname);
    expect(wire.request.headers["content-type"]).toBe("application/json");
    expect(wire).toMatchObject({ attempts: 1, response: { status: 200, truncated: false, complete: true } });
    expect(wire.response?.body).toMatch(/^(event|data|: )/m);
    expect(wire.response?.body).toContain("Found");
    if (name !== "ollama") expect(wire.response?.body).toContain(": [removed]");
    await expectNoKeys(wire);
  });

  test("has the names of entered headers, and none of their values wherever they appear", async () => {
    const quoted = JSON.stringify(canary);
    script.turns = [
      [raw(`data: {"choices":[],"echo":${quoted},"at":"${encodeURIComponent(canary)}"}\n\n`), say("Fine.")],
    ];
    const { runId } = await ask("chat/m");
    const wire = await wireOf(runId);
    expect(wire.request.headers).toEqual({
      ...{ "content-type": "application/json", authorization: "[removed]", "x-team": "[removed]" },
      ...{ "user-agent": "[removed]", "x-mode": "[removed]", accept: "[removed]" },
    });
    expect(wire.response?.body).toContain('"echo":"[removed]","at":"[removed]"');
    await expectNoKeys(wire);
  });

  test("is that of the attempt that counted, and says how many there were", async () => {
    script.turns = [[fail(503, "Busy", { headers: { "retry-after": "0" } })], [say("Now.")]];
    const { runId } = await ask(models.openai);
    const wire = await wireOf(runId);
    expect([wire.attempts, wire.response?.status]).toEqual([2, 200]);
    expect(wire.response?.body).toContain("Now.");
  });

  test("is told of a refusal and its headers too", async () => {
    const headers = { "set-cookie": "id=1", "x-echo": `${key}!`, "x-request-id": "r-1" };
    script.turns = [[fail(400, `No, ${key}`, { headers })]];
    const { runId, status } = await ask(models.anthropic);
    expect(status).toBe("failed");
    const wire = await wireOf(runId);
    expect(wire.response).toMatchObject({
      status: 400,
      headers: { "set-cookie": "[removed]", "x-echo": "[removed]!", "x-request-id": "r-1" },
    });
    expect(wire.response?.body).toContain("No, [removed]");
    await expectNoKeys(wire);
  });

  test("of an answer that broke is what came, and nothing where nothing came", async () => {
    script.turns = Array.from({ length: 3 }, () => [say("Half"), cut]);
    const broken = await wireOf((await ask(models.google)).runId);
    expect(broken.response).toMatchObject({ status: 200, complete: false });
    expect(broken.response?.body).toContain("Half");
    plain = (response) =>
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .write(`data: {"choices":[{"index":0,"delta":{"content":"Half"}}]}\n\n: ${key.slice(0, 20)}`, () =>
          response.destroy(),
        );
    const inKey = await wireOf((await ask("plain/m")).runId);
    expect(inKey.response).toMatchObject({ complete: false, truncated: true });
    expect(inKey.response?.body).toMatch(/"Half".*\n\n: $/);
    plain = (response) => response.destroy();
    expect((await wireOf((await ask("plain/m")).runId)).response).toBeNull();
  });

  test("of a compressed answer is what it says, and nothing of an encoding that nobody here reads", async () => {
    const said = `: ${key} ${password}\n\ndata: {"choices":[{"index":0,"delta":{"content":"Packed."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
    const send = (encoding: string, body: Buffer) => {
      plain = (response) =>
        response
          .writeHead(200, { "content-type": "text/event-stream", "content-encoding": encoding })
          .end(body);
    };
    send("gzip", gzipSync(said));
    const packed = await wireOf((await ask("plain/m")).runId);
    expect(packed.response?.body).toBe(said.replace(`${key} ${password}`, "[removed] [removed]"));
    expect(packed.response?.bytes).toBe(gzipSync(said).length);
    send("x-own", Buffer.from(said));
    const unknown = await wireOf((await ask("plain/m")).runId);
    expect(unknown.response).toMatchObject({ body: "", truncated: true, bytes: Buffer.byteLength(said) });
    await expectNoKeys([packed, unknown]);
  });
});

describe("a body", () => {
  test("is cut at 1 MB, and says how long it was; half of a key at the end is not kept", async () => {
    const event = (text: string) =>
      `data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}}]}\n\n`;
    const comment = (length: number) => `: ${"x".repeat(length - 4)}\n\n`;
    for (const before of [999_990, 1_000_020]) {
      const start = event("Long.");
      const said = `${start}${comment(before - start.length - 10)}: ${key.repeat(4)}\n\n${comment(300_000)}data: [DONE]\n\n`;
      plain = (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(said);
      const first = await ask("plain/m", { message: { text: "語".repeat(300_000) } });
      const { runId } = await ask("plain/m", {
        ...{ conversationId: first.conversationId, message: { text: "語".repeat(300_000) } },
        options: { recordWire: true },
      });
      const { request: sent, response } = await wireOf(runId);
      expect(response).toMatchObject({ truncated: true, bytes: Buffer.byteLength(said) });
      expect(response?.body.length).toBeLessThanOrEqual(1_000_000);
      expect(response?.body.length).toBeGreaterThan(999_000);
      expect(response?.body).not.toContain("sk-canary");
      expect(sent.truncated).toBe(true);
      expect(sent.bytes).toBeGreaterThan(1_200_000);
      expect(Buffer.byteLength(sent.body)).toBeLessThanOrEqual(1_000_000);
      expect(sent.body).not.toContain("\uFFFD");
      expect(sent.body.at(-1)).toBe("語");
    }
  });
});

describe("it is recorded", () => {
  test("where the request or the settings say so, and the request counts first", async () => {
    expect((await request((await ask(models.openai, {})).runId)).wire).toBeNull();
    await callApi("PATCH", "/api/settings", { recordWire: true });
    expect((await (await callApi("GET", "/api/settings")).json()).recordWire).toBe(true);
    expect((await request((await ask(models.openai, {})).runId)).wire).not.toBeNull();
    const without = await ask(models.openai, { options: { recordWire: false } });
    expect((await request(without.runId)).wire).toBeNull();
  });

  test("for each turn of a run, and of one that is run again; bad input names the field", async () => {
    script.turns = [
      [callTools({ name: "filesystem__list_directory", args: { path: folder } })],
      [say("Done.")],
    ];
    const { runId } = await ask(models.openai, { servers: null, options: { recordWire: true } });
    expect((await wireOf(runId, 1)).response?.body).toContain("list_directory");
    expect((await wireOf(runId, 2)).response?.body).toContain("Done.");
    const again = async (body: object) =>
      callApi("POST", `/api/runs/${runId}/rerun`, { tape: "ask", ...body });
    const rerun = await (await again({ recordWire: false })).json();
    await readStream(await callApi("GET", `/api/runs/${rerun.runId}/stream`));
    expect((await request(rerun.runId)).wire).toBeNull();
    const inherited = await (await again({})).json();
    await readStream(await callApi("GET", `/api/runs/${inherited.runId}/stream`));
    expect((await request(inherited.runId)).wire).not.toBeNull();
    for (const [method, path, body] of [
      ["PATCH", "/api/settings", { recordWire: "yes" }],
      ["POST", "/api/chat", { message: { text: "x" }, options: { recordWire: 1 } }],
      ["POST", `/api/runs/${runId}/rerun`, { tape: "ask", recordWire: null }],
    ] as const) {
      const response = await callApi(method, path, body);
      const { error } = await response.json();
      expect([response.status, error.message]).toEqual([400, expect.stringContaining("recordWire")]);
    }
  });

  test("for each agent of a workflow in its own turn", async () => {
    script.turns = [];
    const { runId, status } = await ask(models.openai, {
      ...{ agent: "document", servers: undefined, options: { recordWire: true } },
    });
    expect(status).toBe("completed");
    const { iterations } = await (await callApi("GET", `/api/runs/${runId}`)).json();
    const systems: (string | null)[] = [];
    // The last one says what is there, and asks nobody.
    for (const index of iterations.slice(0, -1).keys()) {
      const { wire, system } = await request(runId, index + 1);
      expect(JSON.parse(wire?.request.body ?? "{}").messages[0].content).toBe(system);
      systems.push(system);
    }
    expect((await request(runId, iterations.length)).wire).toBeNull();
    expect(new Set(systems).size).toBeGreaterThan(2);
  });
});

describe("what was recorded", () => {
  test("goes with its conversation, counts as space, and is in no file that leaves", async () => {
    const { runId, conversationId } = await ask(models.openai);
    const before = await countRecords();
    expect(before).toBeGreaterThan(0);
    const { kinds } = (await (await callApi("GET", "/api/data/usage")).json()) as DataUsage;
    expect(kinds.wire).toBeGreaterThan(0);
    const { body } = (await wireOf(runId)).response ?? { body: "" };
    for (const path of [
      `/api/runs/${runId}/export`,
      `/api/conversations/${conversationId}/export?format=json`,
    ]) {
      const response = await callApi("GET", path);
      const text = await response.text();
      expect([response.status, text.includes(runId)]).toEqual([200, true]);
      expect(text).not.toContain(body.slice(0, 40));
      expect(text).not.toContain("chat/completions");
    }
    await callApi("DELETE", `/api/conversations/${conversationId}`);
    await purgeDeleted(await getDeps(), { isClosed: () => false, now: Date.now() + restorableMs + 1 });
    expect(await countRecords()).toBe(before - 1);
  });

  test("of a temporary chat is in memory alone", async () => {
    const before = await countRecords();
    const { runId, conversationId } = await ask(models.openai, {
      ...{ temporary: true, options: { recordWire: true } },
    });
    expect((await wireOf(runId)).response?.body).toContain("Fine.");
    expect(await countRecords()).toBe(before);
    await callApi("DELETE", `/api/conversations/${conversationId}`);
    expect((await callApi("GET", `/api/runs/${runId}/requests/1`)).status).toBe(404);
  });
});
