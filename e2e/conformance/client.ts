import { setTimeout as wait } from "node:timers/promises";
import {
  fillForm,
  hasSkills,
  loadsSkills,
  maxRestarts,
  maxSignIns,
  serverEntry,
  wantedCalls,
  wantsSignIn,
} from "@/lib/mcp/testing/conformance-scenario";
import { consent } from "@/lib/mcp/testing/consent";
import type { PendingRequest } from "@/lib/protocol/chunk";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { McpSkillItem } from "@/lib/protocol/mcp-offers";
import type { ToolResult } from "@/lib/protocol/message";
import { apiOf } from "../support/api";
import { chunksOf } from "../support/follow-stream";

/**
 * The honest lane of the protocol's own conformance suite: a person at the running application, who adds the scenario's
 * server, signs in, and asks a model that calls the tools. Everything goes through the HTTP API and the callback.
 */
const { baseUrl, token } = JSON.parse(process.env.MEGURI_CONFORMANCE_APP ?? "") as Record<string, string>;
const settleMs = 60_000;
const pollMs = 100;
const maxRounds = 10;
const name = `s${process.pid}`;
const path = `/api/mcp/servers/${name}`;
const api = apiOf({
  fetch: (to, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(baseUrl + to, { ...init, headers });
  },
});

await api.post("/api/mcp/servers", { name, config: serverEntry() });
try {
  const { approvalHash } = await api.server(name);
  await api.post(`${path}/approve`, { hash: approvalHash });
  const { tools } = await settle();
  for (const { name: tool, arguments: args } of wantedCalls(tools)) await callUntilAllowed(tool, args);
  if (hasSkills) await loadSkills();
} finally {
  const { items } = await api.get<{ items: { source: string; text: string }[] }>(`${path}/logs`);
  for (const { source, text } of items) console.error(`${source}: ${text}`);
  await api.send("DELETE", path);
}

/** Waits until the server is ready, and signs in as often as it asks for it. */
async function settle(): Promise<McpServerItem> {
  for (let signIns = 0, restarts = 0; ; ) {
    const item = await stateOfServer();
    if (item.status === "ready") return item;
    if (item.status === "failed" && restarts++ < maxRestarts) {
      await api.post(`${path}/restart`);
      continue;
    }
    if (item.status !== "needs_login" || signIns++ >= maxSignIns)
      throw new Error(`${item.status}: ${item.lastError?.message}`);
    await signIn();
  }
}

async function stateOfServer(): Promise<McpServerItem> {
  for (const end = Date.now() + settleMs; Date.now() < end; await wait(pollMs)) {
    const item = await api.server(name);
    if (item.status !== "connecting") return item;
  }
  throw new Error("The server did not connect in time.");
}

/** A browser that is signed in to the application and consents to what it is shown. */
async function signIn(): Promise<void> {
  const { url } = await api.post<{ url: string }>(`${path}/login`);
  const back = await consent(new URL(url), `${baseUrl}/api/mcp/oauth/callback`);
  const opened = await fetch(`${baseUrl}/?token=${token}`, { redirect: "manual" });
  const cookie = opened.headers.getSetCookie().map((line) => line.split(";")[0]);
  const response = await fetch(back, { redirect: "manual", headers: { cookie: cookie.join("; ") } });
  const shown = response.headers.get("location");
  if (response.status !== 303 || !shown?.startsWith(`/settings/mcp/${name}`))
    throw new Error(`The sign-in was refused: ${response.status} ${shown}`);
}

/** All files of all skills, whether they are refused or not; one scenario wants to see that nobody asked. */
async function loadSkills(): Promise<void> {
  const mine = async () =>
    (await api.get<{ items: McpSkillItem[] }>("/api/mcp/skills")).items.filter(
      ({ server }) => server === name,
    );
  for (const end = Date.now() + settleMs; (await mine()).length === 0 && Date.now() < end; )
    await wait(pollMs);
  if (!loadsSkills) return;
  for (const { uri, files } of await mine())
    for (const file of files ?? []) {
      const { status } = await api.send("POST", "/api/mcp/skills/read", { server: name, uri, file });
      console.error(`${file}: ${status}`);
    }
}

async function callUntilAllowed(tool: string, args: Record<string, unknown>): Promise<void> {
  for (let attempt = 0; attempt <= maxSignIns; attempt++) {
    const { status, content } = await callTool(tool, args);
    const text = content[0]?.type === "text" ? content[0].text : "";
    console.error(`${tool}: ${status} ${text}`);
    if (!wantsSignIn(status, text) || attempt === maxSignIns) return;
    await signIn();
    await settle();
  }
}

/** One question, after which the model calls the tool; what it or the server asks for on the way is granted. */
async function callTool(tool: string, args: Record<string, unknown>): Promise<ToolResult> {
  const { tools } = await settle();
  const qualified = tools.find((item) => item.name === tool)?.qualifiedName ?? tool;
  const question = JSON.stringify({ name: qualified, args });
  let stream = await api.ask(question, { model: "openai/conformance", servers: [name] });
  for (let round = 0; round < maxRounds; round++) {
    await stream.closed;
    const { pending, status } = await api.run(stream.runId);
    if (status === "waiting") {
      stream = await api.follow(await answerAll(stream.runId, pending));
      continue;
    }
    const last = chunksOf(stream.events).findLast((chunk) => chunk.type === "tool_result");
    if (!last) throw new Error(`${tool}: the run is ${status}, and there is no result.`);
    return last.result;
  }
  throw new Error(`${tool} asks again and again.`);
}

/** A run that waits for a sign-in goes on by itself. */
async function nextOf(runId: string): Promise<string> {
  const { conversationId } = await api.run(runId);
  for (const end = Date.now() + settleMs; Date.now() < end; await wait(pollMs)) {
    const { runs } = await api.conversation(conversationId);
    const next = runs.find(({ continues }) => continues === runId);
    if (next) return next.id;
  }
  throw new Error(`The run ${runId} does not go on after the sign-in.`);
}

/** Says yes to all that a run waits for; the run that goes on. */
async function answerAll(runId: string, pending: readonly PendingRequest[]): Promise<string> {
  let next: string | null = null;
  for (const request of pending) {
    const { requestId } = request;
    if (request.type === "input_request" && request.reason === "login") {
      await signIn();
      await settle();
      next = await nextOf(runId);
      continue;
    }
    const schema = request.type === "input_request" ? request.schema : undefined;
    const answer =
      request.type === "input_request"
        ? { action: "accept", content: fillForm(schema as Record<string, unknown> | undefined) }
        : { decision: "approve" };
    ({ runId: next } = await api.post<{ runId: string | null }>(`/api/runs/${runId}/answer`, {
      requestId,
      ...answer,
    }));
  }
  if (next === null) throw new Error(`The run ${runId} waits for something that nobody can answer.`);
  return next;
}
