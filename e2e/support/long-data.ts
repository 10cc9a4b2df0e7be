import { apiOf } from "./api";
import type { App } from "./app";

/** One word as long as a careless page can bear none. */
export const longWord = "Donaudampfschifffahrt".repeat(15).slice(0, 300);
/** Too long to come with the page of its conversation. */
const longThought = "Thought about at length. ".repeat(9_000);
/** As long as a title may be. */
export const longTitle = `Long ${longWord}`.slice(0, 200);
const upTo = (length: number) => longTitle.slice(0, length);

const rows = 12;
const each = <T>(make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: rows }, (_, at) => make(at)));

export interface LongData {
  talk: string;
  project: string;
  server: string;
  /** Two answers beside each other, and the run of one. */
  compared: string;
  run: string;
  matrix: string;
}

/** Every list has many rows, and everything that people name has the longest name that it may have. */
export async function fillLong(app: App): Promise<LongData> {
  const server = await fillSettings(app);
  const api = apiOf(app);
  for (let at = 1; at <= rows; at++) await importTalk(app, at, at % 2 === 0);
  const listed = await api.get<{ items: { id: string; title: string }[] }>("/api/conversations");
  const [talk, ...others] = listed.items.filter(({ title }) => title === longTitle).map(({ id }) => id);
  await each(() => api.post(`/api/conversations/${talk}/shares`, { accept: true }));
  const { id: project } = await api.post<{ id: string }>("/api/projects", { name: upTo(100) });
  await api.patch(`/api/projects/${project}`, { instructions: longWord });
  for (const id of others.slice(0, 3)) await api.patch(`/api/conversations/${id}`, { projectId: project });
  const runs = [await importRun(app, 1), await importRun(app, 2)];
  const compared = `/runs/compare?ids=${runs}`;
  const matrix = `/runs/matrix/${await fillMatrix(app)}`;
  return { talk: `/c/${talk}`, project: `/p/${project}`, server, compared, run: `/runs/${runs[0]}`, matrix };
}

/** Returns the name of one of its servers. */
async function fillSettings(app: App): Promise<string> {
  const api = apiOf(app);
  const name = upTo(57);
  await each((at) => api.post("/api/assistants", { name: `${at} ${name}`, description: longWord }));
  await each((at) => api.post("/api/prompts", { name: `${at} ${name}`, text: `${longWord} {{x}}` }));
  const agent = `long-${longWord.toLowerCase().slice(0, 35)}`;
  const text = `name: ${agent}\ntitle: { en: ${name}, ja: ${name} }\n${counter}`;
  await api.send("PUT", `/api/agents/${agent}/file`, { version: null, text });
  const server = `server-${longWord.slice(0, 50)}`;
  // One after the other: they are written to one file.
  for (let at = 0; at < rows; at++)
    await api.post("/api/mcp/servers", {
      name: at === 0 ? server : `${server}-${at}`,
      config: { command: "node", args: [longWord, `${longWord}.mjs`] },
    });
  await api.patch("/api/settings", {
    rules: Array.from({ length: rows }, (_, at) => ({ pattern: `mcp:${at}:${longWord}`, effect: "ask" })),
    endpoints: [
      {
        ...{ id: "long", name: upTo(40), api: "chat", models: [longWord.slice(0, 120)] },
        baseURL: `http://127.0.0.1:9/${longWord.slice(0, 150)}`,
      },
    ],
  });
  return server;
}

/** Two models on one recording; nobody answers for the second. Returns its id. */
async function fillMatrix(app: App): Promise<string> {
  const api = apiOf(app);
  const { runId } = await api.ask(longTitle, { model: "demo/demo" });
  await api.replay(runId);
  const models = ["demo/demo", `long/${longWord.slice(0, 120)}`];
  const asked = { runIds: [runId], models, tape: "strict", budget: { tokens: 1_000_000 } };
  return (await api.post<{ id: string }>("/api/matrix", asked)).id;
}

/** A conversation whose question and answer have one long word in each kind of text. */
export async function importTalk(app: App, at: number, archived: boolean): Promise<void> {
  const id = (kind: number) => `01a20000-0000-7000-8000-${String(kind * 1_000 + at).padStart(12, "0")}`;
  const time = new Date(Date.now() - at * 60_000).toISOString();
  const said = (role: string, text: string) => ({ role, parts: [{ type: "text", text }] });
  const body = {
    ...{ meguri: "conversation", version: 1, id: id(1), title: longTitle, createdAt: time, updatedAt: time },
    ...{ pinned: false, archived, project: null, choice: { model: "demo/demo" }, leafId: id(4) },
    messages: [
      { id: id(2), parentId: null, createdAt: time, clientMessageId: id(3), message: said("user", longWord) },
      {
        ...{ id: id(4), parentId: id(2), createdAt: time, model: "demo/demo" },
        message: {
          role: "assistant",
          parts: [
            { type: "reasoning", text: longThought },
            { type: "text", text: longAnswer },
          ],
        },
      },
    ],
    runs: [],
    waiting: [],
    files: [],
  };
  const answer = await app.fetch("/api/conversations/import", {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** An answer with one call and long words; gives the id of its run. */
async function importRun(app: App, at: number): Promise<string> {
  const id = (kind: number) => `01a20000-0000-7000-8000-${String(kind * 1_000 + at).padStart(12, "0")}`;
  const time = new Date(0).toISOString();
  const call = {
    ...{ type: "tool_call", id: "call_1", name: `server__${longWord.slice(0, 40)}` },
    args: { [longWord.slice(0, 60)]: `${longWord} ${at}` },
  };
  const usage = { type: "usage", inputTokens: 1_000_000, outputTokens: 1_000_000 };
  const result = { id: "call_1", status: "error", content: [{ type: "text", text: longWord }] };
  const events = [
    ...[
      { type: "iteration", index: 1 },
      { type: "tool_call", call },
    ],
    ...[
      { ...usage, stopReason: "tool_use" },
      { type: "tool_start", id: "call_1", args: call.args },
    ],
    ...[
      { type: "tool_result", durationMs: 1, result },
      { type: "iteration", index: 2 },
    ],
    ...[
      { type: "text", content: `${longWord} ${at}` },
      { ...usage, stopReason: "end_turn" },
    ],
  ];
  const question = { role: "user", parts: [{ type: "text", text: longTitle }] };
  const head = {
    ...{ meguri: "run", version: 1, app: "1", conversation: { id: id(5), title: longTitle } },
    run: {
      ...{ id: id(6), messageId: id(7), parentId: id(7), model: `demo/${longWord.slice(0, 100)}` },
      ...{ agent: null, continues: null, startedAt: time, options: {} },
    },
    ...{
      events: events.length,
      history: [{ id: id(7), parentId: null, createdAt: time, message: question }],
    },
  };
  const lines = [head, ...events.map((data, index) => ({ seq: index + 1, at: time, data }))];
  const answer = await app.fetch("/api/runs/import", {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { runId: string }).runId;
}

const counter =
  "agent: { type: loop, name: count, maxIterations: 2, agents: [{ type: custom, name: counter }] }\n";

const longAnswer = [
  `# ${longWord}`,
  `${longWord} **${longWord}** \`${longWord}\` [${longWord}](http://example.com/${longWord})`,
  `- ${longWord}`,
  `> ${longWord}`,
  `| ${longWord} | b |\n|---|---|\n| ${longWord} | ${longWord} |`,
  // Without a language, which is written over the end of the first line.
  `\`\`\`\nconst a = "${longWord}";\n\`\`\``,
  `$$${"x + ".repeat(80)}x$$`,
].join("\n\n");
