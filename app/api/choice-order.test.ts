import { afterAll, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const fixture = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
const server = await startOpenAiServer(() => [say("Fine.")], {});
afterAll(() => server.close());
withApplication(
  { one: fixture, two: fixture, three: fixture },
  { OPENAI_BASE_URL: server.url, DEFAULT_MODEL: "openai/provider" },
);

const request = { model: "openai/request", effort: "high", servers: ["one"] };
const conversation = { model: "openai/conversation", effort: "medium", servers: ["two"] };
const assistant = { model: "openai/assistant", effort: "low", servers: ["three"] };
const project = { servers: ["one", "two"] };
const settings = { model: "openai/settings", effort: "minimal" };
const all = ["one", "three", "two"];

interface Said {
  request?: object;
  conversation?: object;
  assistant?: object;
  project?: object;
  settings?: { model?: string; effort?: string };
}

const made = async (path: string, body: object) => (await (await callApi("POST", path, body)).json()).id;

/** What the model's server is asked with where these have spoken. */
async function asked({ request = {}, conversation = {}, assistant, project, settings = {} }: Said) {
  const { model = null, ...knobs } = settings;
  const names = ["request", "conversation", "assistant", "settings", "provider"];
  const models = Object.fromEntries(
    names.map((name) => [`openai/${name}`, Object.keys(knobs).length > 0 ? knobs : null]),
  );
  expect((await callApi("PATCH", "/api/settings", { defaultModel: model, models })).status).toBe(200);
  const id = assistant && (await made("/api/assistants", { name: "Clerk", ...assistant }));
  const choice = { ...conversation, ...(id && { assistant: id }) };
  const projectId = project && (await made("/api/projects", { name: "Refunds", ...project }));
  const conversationId = await made("/api/conversations", { choice, ...(projectId && { projectId }) });
  const { effort, ...named } = request as { effort?: string };
  const body = {
    conversationId,
    message: { text: "Hello" },
    ...named,
    ...(effort && { options: { effort } }),
  };
  expect((await readStream(await callApi("POST", "/api/chat", body))).status).toBe("completed");
  const sent = server.requests.at(-1);
  const servers = new Set(sent?.tools.map((name) => name.split("__")[0]));
  return [sent?.body.model, sent?.body.reasoning_effort, [...servers].toSorted()];
}

test.for<[string, Said, unknown[]]>([
  [
    "the request before all others",
    { request, conversation, assistant, project, settings },
    ["request", "high", ["one"]],
  ],
  [
    "then the conversation",
    { conversation, assistant, project, settings },
    ["conversation", "medium", ["two"]],
  ],
  ["then the assistant", { assistant, project, settings }, ["assistant", "low", ["three"]]],
  ["then the project", { project, settings }, ["settings", "minimal", ["one", "two"]]],
  ["then the settings", { settings }, ["settings", "minimal", all]],
  ["then the provider", {}, ["provider", undefined, all]],
  [
    "each field by itself",
    { request: { effort: "high" }, conversation: { servers: ["two"] }, assistant, settings },
    ["assistant", "high", ["two"]],
  ],
  [
    "all servers are a choice, too",
    { conversation: { servers: null }, assistant, project, settings },
    ["assistant", "low", all],
  ],
  [
    "none is a choice, too",
    { request: { servers: [] }, conversation, assistant, settings },
    ["conversation", "medium", []],
  ],
])("the model, the effort and the servers of an answer: %s", async ([, said, expected]) => {
  expect(await asked(said)).toEqual(expected);
});
