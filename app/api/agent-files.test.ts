import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AgentFileItem } from "@/lib/protocol/agents";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const given = await mkdtemp(join(tmpdir(), "meguri-agents-"));
/** Where they are read: the folder that was given, or where instances share them a copy. */
let dir: string;
const fixture = (more: object) => ({
  command: "node",
  args: ["lib/mcp/testing/fixture-server.mjs", "escalates"],
  ...more,
});
withApplication(
  { free: fixture({ mayEscalate: true }), bound: fixture({}) },
  { AGENTS_DIR: given, TOOL_APPROVAL: "allow" },
);
beforeAll(async () => {
  dir = (await getDeps()).env.AGENTS_DIR;
});

const haiku = `name: haiku
state:
  topic:
  tone: plain
agent:
  type: llm
  name: poet
  tools: none
  instruction: A {tone} haiku about {topic}.
`;
const path = (id: string, query = "") => `/api/agents/${id}/file${query}`;
const put = (id: string, text: string, version: string | null = null, query = "") =>
  callApi("PUT", path(id, query), { text, version });
const show = async (id: string): Promise<AgentFileItem> => (await callApi("GET", path(id))).json();
const errorOf = async (response: Response) => ({ status: response.status, ...(await response.json()).error });

beforeEach(async () => {
  for (const file of await readdir(dir)) await rm(join(dir, file));
});

describe("the file of an agent", () => {
  it("is made, read, changed and deleted, and listed at once", async () => {
    const made = await put("haiku", haiku);
    expect(made.status).toBe(200);
    const { version, tree, text, file } = await show("haiku");
    expect({ text, file }).toEqual({ text: haiku, file: "haiku.yaml" });
    expect(tree).toMatchObject({
      state: { topic: null, tone: "plain" },
      agent: { type: "llm", name: "poet", line: 6, reads: ["tone", "topic"], tools: "none" },
    });
    const { items } = await (await callApi("GET", "/api/agents")).json();
    expect(items).toMatchObject([{ id: "haiku", state: { topic: null, tone: "plain" } }]);
    const changed = haiku.replace("plain", "warm");
    expect((await put("haiku", changed, version)).status).toBe(200);
    expect(await readFile(join(dir, "haiku.yaml"), "utf8")).toBe(changed);
    expect((await readdir(dir)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(await errorOf(await callApi("DELETE", path("haiku", `?version=${version}`)))).toMatchObject({
      status: 409,
      code: "file_changed",
    });
    expect((await callApi("DELETE", path("haiku"))).status).toBe(200);
    expect((await callApi("GET", path("haiku"))).status).toBe(404);
  });

  it("that was changed meanwhile, or is there already, is not written over", async () => {
    await put("haiku", haiku);
    const { version } = await show("haiku");
    await writeFile(join(dir, "haiku.yaml"), haiku.replace("plain", "cold"));
    const refused = await errorOf(await put("haiku", haiku, version));
    expect(refused).toMatchObject({ status: 409, code: "file_changed" });
    expect(await errorOf(await put("haiku", haiku))).toMatchObject({ status: 409, code: "exists" });
    expect((await show("haiku")).text).toContain("cold");
  });

  it("of two that save at once, one is refused", async () => {
    const both = await Promise.all([put("haiku", haiku), put("haiku", haiku.replace("plain", "warm"))]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it("with a mistake is refused with line and column, and the old one stays", async () => {
    await put("haiku", haiku);
    const { version } = await show("haiku");
    const refused = await errorOf(
      await put("haiku", haiku.replace("  tools: none", "  temperature: 3"), version),
    );
    expect(refused).toMatchObject({
      status: 400,
      code: "agent_broken",
      message: "agents/haiku.yaml:8: agent.temperature: there is no such key.",
      details: { line: 8, column: 3 },
    });
    expect((await show("haiku")).text).toBe(haiku);
    const preview = await put("haiku", haiku.replace("[", ""), null, "?preview=true");
    expect(await preview.json()).toMatchObject({ version, file: "haiku.yaml" });
  });

  it("that is broken on the disk is shown with what is wrong, and can be mended", async () => {
    await writeFile(join(dir, "broken.yaml"), "name: broken\nagent: [");
    const { text, tree, problems, version } = await show("broken");
    expect({ text, tree, problems }).toMatchObject({ tree: null, problems: [{ line: 2 }] });
    const { broken } = await (await callApi("GET", "/api/agents")).json();
    expect(broken).toMatchObject([{ id: "broken", file: "broken.yaml" }]);
    expect((await put("broken", haiku.replace("haiku", "broken"), version)).status).toBe(200);
  });

  it("that cannot be read is not written over", async () => {
    const long = "#".repeat(1_000_000);
    await writeFile(join(dir, "haiku.yaml"), long);
    for (const query of ["", "?preview=true"])
      expect(await errorOf(await put("haiku", haiku, null, query))).toMatchObject({
        status: 422,
        message: "agents/haiku.yaml:1: It has more than 200000 characters.",
      });
    expect(await readFile(join(dir, "haiku.yaml"), "utf8")).toBe(long);
  });

  it("is not taken for the agent that its file is called after", async () => {
    await writeFile(join(dir, "Poem.yaml"), haiku);
    for (const method of ["GET", "DELETE"]) expect((await callApi(method, path("Poem"))).status).toBe(404);
    for (const id of ["Poem", "poem"])
      expect(await errorOf(await put(id, haiku.replace("haiku", id)))).toMatchObject({
        status: 409,
        code: "exists",
        message: "The file Poem.yaml has another agent; give this one another name.",
      });
    expect((await show("haiku")).file).toBe("Poem.yaml");
  });

  it("is not deleted or changed while others need what it says", async () => {
    const uses = (name: string, used: string) =>
      `name: ${name}\nagent:\n  type: sequential\n  agents:\n    - {type: use, agent: ${used}}\n`;
    await put("haiku", haiku);
    await put("twice", uses("twice", "haiku"));
    expect(await errorOf(await callApi("DELETE", path("haiku")))).toMatchObject({
      status: 409,
      message: "The agent haiku is used by twice.yaml; change that first.",
    });
    const { version } = await show("haiku");
    expect(await errorOf(await put("haiku", uses("haiku", "twice"), version))).toMatchObject({
      status: 400,
      message: "agents/twice.yaml:5: haiku → twice → haiku would never end.",
      details: { line: 5 },
    });
  });

  it("has an id that is no path, and the name of its agent", async () => {
    for (const id of ["..%2Fx", "a%2Fb", ".hidden", "a.yaml", "%00"])
      expect(await errorOf(await put(id, haiku))).toMatchObject({ status: 400, code: "invalid_input" });
    expect((await callApi("GET", path("..%2F..%2Fetc%2Fpasswd"))).status).toBe(404);
    expect(await errorOf(await put("poem", haiku))).toMatchObject({
      status: 400,
      details: { line: 1, column: 7 },
    });
    expect(await readdir(dir)).toEqual([]);
  });

  it("of a megabyte is told so in the words of the file", async () => {
    expect(await errorOf(await put("haiku", "a".repeat(1_000_000)))).toMatchObject({
      status: 400,
      message: "agents/haiku.yaml:1: It has more than 200000 characters.",
    });
    expect((await put("haiku", "a".repeat(4_100_000))).status).toBe(413);
    await writeFile(join(dir, "large.yaml"), "a".repeat(1_000_000));
    expect(await errorOf(await callApi("GET", path("large")))).toMatchObject({ status: 422 });
  });
});

describe("a run of an agent", () => {
  const ask = (agent: string, more: object = {}) =>
    callApi("POST", "/api/chat", { message: { text: "Go" }, agent, ...more });

  it("begins with the state that it is given, and says what it takes", async () => {
    await put("haiku", haiku);
    expect(await errorOf(await ask("haiku"))).toMatchObject({
      status: 400,
      message: "state.topic: the agent haiku needs it to begin.",
    });
    expect(await errorOf(await ask("haiku", { state: { topic: "tea", colour: "red" } }))).toMatchObject({
      status: 400,
      message: "state.colour: the agent haiku takes no such key; it takes topic, tone.",
    });
    expect((await ask("haiku", { state: { topic: 3 } })).status).toBe(400);
    expect(
      (await callApi("POST", "/api/chat", { message: { text: "Go" }, state: { topic: "tea" } })).status,
    ).toBe(400);
    const server = await startOpenAiServer([[say("Steam rises.")], [say("It cools.")], [say("It is gone.")]]);
    await callApi("PATCH", "/api/settings", { providers: { openai: { baseURL: server.url } } });
    const run = await readStream(await ask("haiku", { model: "openai/m", state: { topic: "tea" } }));
    expect(run.status).toBe("completed");
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain("A plain haiku about tea.");
    // Made anew, and asked differently, it begins as before; the topic is nowhere else.
    const { conversationId } = run;
    for (const again of [{ regenerate: run.messageId }, { parentId: null, message: { text: "Once more" } }]) {
      const body = { conversationId, agent: "haiku", model: "openai/m", ...again };
      expect((await readStream(await callApi("POST", "/api/chat", body))).status).toBe("completed");
      expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain("A plain haiku about tea.");
    }
    await callApi("PATCH", "/api/settings", { providers: { openai: null } });
    await server.close();
  });

  it("asks the model that a part names, with its effort, and that of the run for the rest", async () => {
    const server = await startOpenAiServer([[say("One.")], [say("Two.")], [say("Three.")]]);
    await callApi("PATCH", "/api/settings", { providers: { openai: { baseURL: server.url } } });
    const text = `name: pair
agent:
  type: sequential
  agents:
    - {type: llm, name: one, instruction: ONE, tools: none}
    - {type: llm, name: two, instruction: TWO, tools: none, model: openai/other, effort: low}
    - {type: llm, name: three, instruction: THREE, tools: none, model: openai/third}
`;
    expect((await put("pair", text)).status).toBe(200);
    const run = await readStream(await ask("pair", { model: "openai/first", options: { effort: "high" } }));
    expect(run.status).toBe("completed");
    expect(server.requests.map(({ body }) => [body.model, body.reasoning_effort])).toEqual([
      ["first", "high"],
      ["other", "low"],
      ["third", undefined],
    ]);
    await callApi("PATCH", "/api/settings", { providers: { openai: null } });
    // Its provider is gone: told at the line that names the model, and not begun.
    expect(await errorOf(await ask("pair"))).toMatchObject({
      status: 422,
      message: expect.stringMatching(/^agents\/pair\.yaml:6: two cannot ask its model: /),
    });
    await server.close();
  });

  it("leaves its loop by a tool of a server that may, and by no other", async () => {
    const loop = (server: string) => `name: round-${server}
agent:
  type: loop
  name: round
  maxIterations: 2
  agents:
    - {type: llm, name: worker, instruction: WORK, includeContents: none}
`;
    const server = await startOpenAiServer([
      [callTools({ name: "free__enough" })],
      [callTools({ name: "bound__enough" })],
      [say("One.")],
      [callTools({ name: "free__fail" })],
      [say("Two.")],
    ]);
    await callApi("PATCH", "/api/settings", { providers: { openai: { baseURL: server.url } } });
    const ends = async (name: string) => {
      await put(`round-${name}`, loop(name));
      const run = await readStream(await ask(`round-${name}`, { model: "openai/m" }));
      return run.chunks.flatMap((chunk) =>
        chunk.type === "agent" && chunk.event !== "start" ? `${chunk.agent} ${chunk.event}` : [],
      );
    };
    expect(await ends("free")).toEqual(["round.1/worker escalate", "round escalate"]);
    expect(await ends("bound")).toEqual(["round.1/worker end", "round.2/worker end", "round end"]);
    await callApi("PATCH", "/api/settings", { providers: { openai: null } });
    await server.close();
  });

  it("keeps the agent that it began with", async () => {
    const server = await startOpenAiServer([
      [callTools({ name: "free__enough" })],
      [say("Done by the old one.")],
    ]);
    await callApi("PATCH", "/api/settings", { providers: { openai: { baseURL: server.url } } });
    await callApi("PATCH", "/api/settings", { rules: [{ pattern: "mcp:free:*", effect: "ask" }] });
    const text = "name: keeper\nagent: {type: llm, name: one, instruction: OLD}\n";
    await put("keeper", text);
    const run = await readStream(await ask("keeper", { model: "openai/m" }));
    expect(run.status).toBe("waiting");
    const { version } = await show("keeper");
    expect((await put("keeper", text.replace("OLD", "NEW"), version)).status).toBe(200);
    const asked = run.chunks.find((chunk) => chunk.type === "approval_request");
    const requestId = asked?.type === "approval_request" && asked.requestId;
    const answered = await callApi("POST", `/api/runs/${run.runId}/answer`, {
      requestId,
      decision: "approve",
    });
    const { runId } = await answered.json();
    await readStream(await callApi("GET", `/api/runs/${runId}/stream`));
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain("OLD");
    await callApi("PATCH", "/api/settings", { rules: [], providers: { openai: null } });
    await server.close();
  });

  it("goes on with the model of the run where that of a part is gone meanwhile", async () => {
    const server = await startOpenAiServer([[callTools({ name: "free__enough" })]]);
    await callApi("PATCH", "/api/settings", {
      rules: [{ pattern: "mcp:free:*", effect: "ask" }],
      providers: { openai: { baseURL: server.url } },
    });
    await put("other", "name: other\nagent: {type: llm, name: one, instruction: GO, model: openai/m}\n");
    const run = await readStream(await ask("other", { model: "demo/demo" }));
    expect(run.status).toBe("waiting");
    await callApi("PATCH", "/api/settings", { rules: [], providers: { openai: null } });
    const asked = run.chunks.find((chunk) => chunk.type === "approval_request");
    const requestId = asked?.type === "approval_request" && asked.requestId;
    const answer = { requestId, decision: "approve" };
    const { runId } = await (await callApi("POST", `/api/runs/${run.runId}/answer`, answer)).json();
    const rest = await readStream(await callApi("GET", `/api/runs/${runId}/stream`));
    expect(rest.status).toBe("completed");
    expect(server.requests).toHaveLength(1);
    await server.close();
  });
});
