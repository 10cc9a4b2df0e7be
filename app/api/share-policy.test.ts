import { afterAll, beforeAll, expect, test } from "vitest";
import type { ShareItem, SharePolicy, ShareSnapshot } from "@/lib/protocol/shares";
import { noisyPng } from "@/lib/providers/testing/files";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type Step, say, think } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

let turns: Step[][] = [];
const model = await startOpenAiServer(() => turns.shift() ?? [], {
  capabilities: ["completion", "tools", "vision"],
});
afterAll(() => model.close());

const server = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
const folder = {
  command: "node",
  args: ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "sandbox"],
};
withApplication(
  { payroll: server, wiki: server, folder },
  { OPENAI_BASE_URL: model.url, TOOL_APPROVAL: "allow" },
);

const canary = (name: string) => `canary-${name}`;
const pay = `${canary("pay")} ${"p".repeat(300)} ${canary("end")}`;
let conversationId: string;

beforeAll(async () => {
  const upload = await callApi("POST", "/api/attachments", noisyPng(8), {
    ...{ "content-type": "image/png", "x-filename": `${canary("file")}.png` },
  });
  const { id } = await upload.json();
  turns = [
    [
      think(canary("thought")),
      callTools(
        { name: "payroll__echo", args: { text: pay, other: canary("other") } },
        { name: "wiki__echo", args: { text: canary("wiki") } },
      ),
    ],
    [say("Done.")],
  ];
  const message = { text: "Look", attachments: [{ id }] };
  ({ conversationId } = await readStream(
    await callApi("POST", "/api/chat", { model: "openai/test", message }),
  ));
});

const policy = (patch: Partial<SharePolicy> = {}): SharePolicy => ({
  ...{ default: "full", tools: {}, reasoning: true, attachments: true },
  ...patch,
});
const share = (body: object, id = conversationId) => callApi("POST", `/api/conversations/${id}/shares`, body);

/** What a stranger gets by such a link, which the preview shows word for word. */
async function seen(shown: Partial<SharePolicy>): Promise<{ text: string; snapshot: ShareSnapshot }> {
  const made = await share({ policy: policy(shown) });
  expect(made.status).toBe(201);
  const { token, preview } = await made.json();
  const text = await (await callApi("GET", `/api/share/${token}`, undefined, { authorization: "" })).text();
  const { snapshot } = JSON.parse(text);
  expect(snapshot).toEqual(preview);
  return { text, snapshot };
}

const callsIn = ({ messages }: ShareSnapshot) =>
  messages.flatMap((message) =>
    message.role === "assistant" ? message.parts.filter((part) => part.type === "tool_call") : [],
  );
const resultsIn = ({ messages }: ShareSnapshot) =>
  messages.flatMap((message) => (message.role === "tool" ? message.results : []));
const namesOf = (text: string) => [...new Set(text.match(/canary-\w+/g))].sort();
const all = ["end", "file", "other", "pay", "thought", "wiki"].map(canary);

test("everything is shown by a policy that says so, and without one", async () => {
  expect(namesOf((await seen({})).text)).toEqual(all);
  const { preview } = await (await share({ dryRun: true })).json();
  expect(namesOf(JSON.stringify(preview))).toEqual(all);
  expect(preview).not.toHaveProperty("withheld");
});

test("a hidden call keeps its name, its status and its times alone", async () => {
  const { text, snapshot } = await seen({ tools: { payroll__echo: "hidden" } });
  expect(namesOf(text)).toEqual(["file", "thought", "wiki"].map(canary));
  const [first] = callsIn(snapshot);
  expect(first).toMatchObject({ name: "payroll__echo", args: {} });
  expect(resultsIn(snapshot)[0]).toEqual({ id: first?.id, status: "ok", content: [] });
  expect(snapshot.withheld).toEqual({ [first?.id ?? ""]: { shown: "hidden" } });
  const times = snapshot.runs.flatMap(({ iterations }) => iterations.flatMap(({ toolCalls }) => toolCalls));
  expect(times[0]).toMatchObject({ name: "payroll__echo", status: "ok", durationMs: expect.any(Number) });
});

test("a summary shows the main argument and the result up to 200 characters", async () => {
  const { text, snapshot } = await seen({ default: "summary" });
  expect(namesOf(text)).toEqual(["file", "pay", "thought", "wiki"].map(canary));
  const [first, second] = callsIn(snapshot);
  expect(first?.args).toEqual({ text: `${pay.slice(0, 200)}…` });
  expect(second?.args).toEqual({ text: canary("wiki") });
  const [long] = resultsIn(snapshot);
  expect(long?.content).toEqual([{ type: "text", text: expect.stringMatching(/^.{200}$/) }]);
  expect(long).not.toHaveProperty("structured");
  expect(snapshot.withheld?.[first?.id ?? ""]).toEqual({ shown: "summary", characters: expect.any(Number) });
  expect(snapshot.withheld?.[first?.id ?? ""]?.characters).toBeGreaterThan(300);
});

test("the most exact name wins, and a tool that is gone may be named", async () => {
  const server = await seen({ default: "full", tools: { "payroll__*": "hidden", "gone__*": "hidden" } });
  expect(namesOf(server.text)).toEqual(["file", "thought", "wiki"].map(canary));
  expect(server.text).not.toContain("gone__");
  const tool = await seen({ default: "hidden", tools: { "payroll__*": "hidden", payroll__echo: "full" } });
  expect(namesOf(tool.text)).toEqual(all.filter((name) => name !== canary("wiki")));
});

test("thoughts and files are off unless they are set, the names of files too", async () => {
  expect(namesOf((await seen({ reasoning: false })).text)).not.toContain(canary("thought"));
  const { text, snapshot } = await seen({ attachments: false });
  expect(namesOf(text)).not.toContain(canary("file"));
  expect(snapshot.messages[0]).toMatchObject({ parts: [{ type: "text", text: "Look" }] });
  const made = await share({ policy: { default: "full" } });
  expect(namesOf(JSON.stringify((await made.json()).preview))).toEqual(
    all.filter((name) => name !== canary("thought") && name !== canary("file")),
  );
});

test("a file that is not shown is not sent to whoever knows its id", async () => {
  const { snapshot } = await seen({});
  const [question] = snapshot.messages;
  const file = question?.role === "user" ? question.parts.find(({ type }) => type === "file") : undefined;
  const id = file && "attachmentId" in file ? file.attachmentId : "";
  const get = async (shown: Partial<SharePolicy>) => {
    const { token } = await (await share({ policy: policy(shown) })).json();
    return (await callApi("GET", `/api/share/${token}/attachments/${id}`, undefined, { authorization: "" }))
      .status;
  };
  expect([await get({}), await get({ attachments: false })]).toEqual([200, 404]);
});

test("a link keeps its policy when it is brought up to date, and takes another one", async () => {
  const hidden = policy({ default: "hidden", reasoning: false, attachments: false });
  const { id, token } = await (await share({ policy: hidden })).json();
  const read = async () =>
    namesOf(await (await callApi("GET", `/api/share/${token}`, undefined, { authorization: "" })).text());
  expect(await read()).toEqual([]);
  const refreshed: ShareItem = await (await callApi("PATCH", `/api/shares/${id}`, { refresh: true })).json();
  expect(refreshed.policy).toEqual(hidden);
  expect(await read()).toEqual([]);
  const changed = await callApi("PATCH", `/api/shares/${id}`, { policy: { ...hidden, default: "full" } });
  expect((await changed.json()).policy).toEqual({ ...hidden, default: "full" });
  expect(await read()).toEqual(["end", "other", "pay", "wiki"].map(canary));
  const { items } = await (await callApi("GET", "/api/shares")).json();
  expect(items.find((item: ShareItem) => item.id === id).policy).toEqual({ ...hidden, default: "full" });
});

test("the structured form of a result goes with it", async () => {
  turns = [[callTools({ name: "folder__list_allowed_directories" })], [say("Read.")]];
  const read = await readStream(
    await callApi("POST", "/api/chat", { model: "openai/test", message: { text: "Read" } }),
  );
  const resultBy = async (shown: SharePolicy["default"]) => {
    const made = await share({ policy: policy({ default: shown }), dryRun: true }, read.conversationId);
    return resultsIn((await made.json()).preview)[0];
  };
  expect(await resultBy("full")).toMatchObject({ status: "ok", structured: { content: expect.any(String) } });
  expect(await resultBy("hidden")).toEqual({ id: expect.any(String), status: "ok", content: [] });
  expect(await resultBy("summary")).not.toHaveProperty("structured");
});

test("what is hidden holds no link back as a secret", async () => {
  turns = [[callTools({ name: "payroll__echo", args: { text: `sk-${"a1b2".repeat(6)}` } })], [say("Kept.")]];
  const message = { text: "And the key?" };
  const other = await readStream(await callApi("POST", "/api/chat", { model: "openai/test", message }));
  expect((await share({ policy: policy() }, other.conversationId)).status).toBe(422);
  expect((await share({ policy: policy({ default: "hidden" }) }, other.conversationId)).status).toBe(201);
});

test("a summary never ends within a secret, in a result or an argument, nor within a folder of this machine", async () => {
  const secret = `sk-${"a1b2".repeat(10)}`;
  for (const lead of [160, 185, 199]) {
    const text = `${"p".repeat(lead - 1)} ${secret} and more`;
    turns = [[callTools({ name: "payroll__echo", args: { text } })], [say("Kept.")]];
    const message = { text: "Look" };
    const other = await readStream(await callApi("POST", "/api/chat", { model: "openai/test", message }));
    const made = await share({ policy: policy({ default: "summary" }), dryRun: true }, other.conversationId);
    const { preview, findings } = await made.json();
    expect([JSON.stringify(preview).includes("sk-"), findings]).toEqual([false, []]);
  }
  const text = `${"p".repeat(190)} ${process.cwd()}/secret`;
  turns = [[callTools({ name: "payroll__echo", args: { text } })], [say("Kept.")]];
  const other = await readStream(
    await callApi("POST", "/api/chat", { model: "openai/test", message: { text: "Look" } }),
  );
  const made = await share({ policy: policy({ default: "summary" }), dryRun: true }, other.conversationId);
  expect(JSON.stringify((await made.json()).preview)).not.toContain(process.cwd().slice(0, 6));
});

test("a title that is the name of a file goes with the file", async () => {
  const upload = await callApi("POST", "/api/attachments", noisyPng(8), {
    ...{ "content-type": "image/png", "x-filename": `${canary("payslip")}.png` },
  });
  const { id } = await upload.json();
  await callApi("PATCH", "/api/settings", { titles: "words" });
  turns = [[say("A picture.")]];
  const message = { text: "", attachments: [{ id }] };
  const other = await readStream(await callApi("POST", "/api/chat", { model: "openai/test", message }));
  const previewBy = async (shown: Partial<SharePolicy>) =>
    (await (await share({ policy: policy(shown), dryRun: true }, other.conversationId)).json()).preview;
  expect((await previewBy({})).title).toContain(canary("payslip"));
  expect(JSON.stringify(await previewBy({ attachments: false }))).not.toContain("payslip");
});

test("a policy that is wrong is refused by the name of its field", async () => {
  for (const [wrong, field] of [
    [{ ...policy(), default: "some" }, "policy.default"],
    [{ tools: {} }, "policy.default"],
    [{ ...policy(), tools: { wiki__echo: true } }, "policy.tools.wiki__echo"],
    [
      {
        ...policy(),
        tools: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`a__${at}`, "full"])),
      },
      "policy.tools: may name at most 200 tools",
    ],
    [{ ...policy(), author: true }, "policy"],
  ] as const) {
    const response = await share({ policy: wrong });
    const { error } = await response.json();
    expect([response.status, error.code]).toEqual([400, "invalid_input"]);
    expect(error.message).toContain(field);
  }
});
