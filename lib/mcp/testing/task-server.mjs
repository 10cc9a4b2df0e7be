// A server of 2026-07-28 whose calls become tasks (SEP-2663), over stdio: `node task-server.mjs <file>`. The tasks are
// stored in the file, so that they outlive the process. No SDK has this extension yet.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file = ""] = process.argv.slice(2);
const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {});
const change = (id, more) => {
  const tasks = read();
  tasks[id] = { ...tasks[id], ...more };
  writeFileSync(file, JSON.stringify(tasks));
  return tasks[id];
};

const tool = (name) => ({ name, description: `The tool ${name}.`, inputSchema: { type: "object" } });
const text = (content) => ({ resultType: "complete", content: [{ type: "text", text: content }] });
const form = {
  method: "elicitation/create",
  params: {
    mode: "form",
    message: "Which one?",
    requestedSchema: { type: "object", properties: { which: { type: "string" } }, required: ["which"] },
  },
};
const sampling = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "A line, please." } }], maxTokens: 50 },
};

function call({ name, inputResponses }) {
  if (name === "dream")
    return inputResponses
      ? text(`dreamt: ${JSON.stringify(inputResponses.dream)}`)
      : { resultType: "input_required", requestState: "s1", inputRequests: { dream: sampling } };
  const taskId = `task-${Object.keys(read()).length + 1}`;
  change(taskId, { name, polls: 0 });
  return { resultType: "task", taskId, status: "working", ttlMs: 60_000, pollIntervalMs: 100 };
}

function get({ taskId }) {
  const known = read()[taskId];
  if (!known) throw { code: -32602, message: `There is no task ${taskId}.` };
  const { name, polls, cancelled, answers } = change(taskId, { polls: known.polls + 1 });
  const of = (status, more) => ({
    resultType: "complete",
    taskId,
    status,
    ttlMs: 60_000,
    pollIntervalMs: 100,
    ...more,
  });
  if (cancelled) return of("cancelled");
  if (name === "report")
    return polls < 3
      ? of("working", { statusMessage: `chapter ${polls}` })
      : of("completed", { result: { content: [{ type: "text", text: "the report" }] } });
  if (name === "fails") return of("failed", { error: { code: -32000, message: "out of paper" } });
  // Only "patient" asks.
  if (name === "patient" && !answers) return of("input_required", { inputRequests: { which: form } });
  if (name === "patient")
    return polls < 5
      ? of("input_required", { inputRequests: { which: form } })
      : of("completed", { result: { content: [{ type: "text", text: JSON.stringify(answers.which) }] } });
  return of("working"); // "endless"
}

function answer({ method, params }) {
  switch (method) {
    case "server/discover": {
      const extensions = { "io.modelcontextprotocol/tasks": {} };
      return {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {}, extensions },
        resultType: "complete",
      };
    }
    case "tools/list": {
      const names = ["report", "fails", "patient", "endless", "dream"];
      return { tools: names.map(tool), resultType: "complete", ttlMs: 0, cacheScope: "private" };
    }
    case "tools/call":
      return call(params);
    case "tasks/get":
      return get(params);
    case "tasks/update":
      change(params.taskId, { answers: params.inputResponses });
      return { resultType: "complete" };
    case "tasks/cancel":
      change(params.taskId, { cancelled: true });
      return { resultType: "complete" };
    default:
      throw { code: -32601, message: "Method not found" };
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const head = { jsonrpc: "2.0", id: message.id };
  let body;
  try {
    body = { result: answer(message) };
  } catch (error) {
    body = { error: { code: error.code ?? -32603, message: error.message } };
  }
  process.stdout.write(`${JSON.stringify({ ...head, ...body })}\n`);
});
