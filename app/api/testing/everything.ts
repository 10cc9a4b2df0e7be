import { expect } from "vitest";
import { chatGptConversation, chatGptId, node, words } from "@/lib/server/transfer/testing/chatgpt-export";
import { callApi, readStream } from "./call-api";

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>;

/** A model that goes on for as long as it may is asked so. */
export const hanging = "Hang on";

/** What one has of every kind. `name` is in all of it; a run of theirs goes on, behind which a message waits. */
export async function haveEverything(call: Call, name: string, model: string) {
  const post = async (path: string, body: object) => {
    const answer = await call("POST", path, body);
    expect([path, answer.status < 300]).toEqual([path, true]);
    return answer.json();
  };
  const upload = async () => {
    const headers = { "content-type": "text/plain", "x-filename": `${name}.txt` };
    return (await (await call("POST", "/api/attachments", `File of ${name}`, headers)).json()).id as string;
  };
  const chat = (text: string, attachments: string[] = []) =>
    call("POST", "/api/chat", {
      message: { text: `${text}: ${name}`, attachments: attachments.map((id) => ({ id })) },
      model,
    });
  await call("PATCH", "/api/settings", { instructions: `Of ${name}`, titles: "words" });
  await post("/api/hooks", { url: `https://hooks.example/${name.length}`, events: ["run.completed"] });
  const files = [await upload(), await upload(), await upload()] as const;
  const { conversationId, runId } = await readStream(await chat("Hello", [files[0]]));
  const share = await post(`/api/conversations/${conversationId}/shares`, { redact: true });
  await post("/api/projects", { name, instructions: `Of ${name}`, files: [files[1]] });
  await post("/api/assistants", { name, instructions: `Of ${name}` });
  await post("/api/prompts", { name, text: `Of ${name}` });
  await post("/api/mcp/presets", { name, servers: [] });
  const errand = { name, text: `Of ${name}`, budget: { tokens: 100_000 } };
  await post("/api/schedules", { ...errand, cron: "0 0 1 1 *" });
  await post("/api/triggers", errand);
  const { value } = await post("/api/tokens", { name, scopes: ["read", "mcp"], expiresAt: null });
  expect((await connectProgram(value, name)).status).toBe(200);
  const foreign = chatGptConversation(chatGptId(name.length), `Imported by ${name}`, [
    node("q", null, { role: "user", content: words(`A question of ${name}`), at: 1_756_000_001 }),
  ]);
  const type = { "content-type": "application/octet-stream" };
  const { imported } = await (
    await call("POST", "/api/conversations/import", JSON.stringify([foreign]), type)
  ).json();
  expect(imported).toBe(1);
  const matrix = await post("/api/matrix", {
    ...{ runIds: [runId], models: [model], tape: "live", budget: { tokens: 1 }, unpriced: "run" },
  });
  await expect
    .poll(async () => (await (await call("GET", `/api/matrix/${matrix.id}`)).json()).status)
    .not.toBe("running");
  const live = await chat(hanging);
  const liveRun = live.headers.get("x-run-id") ?? "";
  const queued = { text: `Later: ${name}`, when: "after", clientMessageId: crypto.randomUUID() };
  await post(`/api/runs/${liveRun}/messages`, queued);
  return { conversationId, runId, liveRun, files, token: share.token as string, live: live.text() };
}

/** A session of a program of theirs. */
const connectProgram = (token: string, name: string): Promise<Response> => {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } };
  const headers = { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" };
  return callApi("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params }, headers);
};
