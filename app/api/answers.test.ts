import { expect, test } from "vitest";
import type { PendingRequest } from "@/lib/protocol/chunk";
import type { RunItem } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import { type AnswerName, answers, type QuestionKind } from "@/lib/protocol/questions";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser } from "@/lib/server/ids";
import { waitingFor } from "@/lib/server/testing/run-kit";
import { callApi, withApplication } from "./testing/call-api";

withApplication({});

const id = "q" as ToolCallId;
const call = { type: "tool_call" as const, id, name: "desk__work", args: {} };
const approval = { type: "approval_request" as const, requestId: "q", call };
const input = { type: "input_request" as const, requestId: "q", id, server: "desk", message: "?" };

/** A question of each kind, and the answers that it takes over HTTP. */
const kinds: Record<QuestionKind, [question: PendingRequest, takes: AnswerName[]]> = {
  rule: [
    { ...approval, reason: "rule" },
    ["approve", "approve_run", "approve_always", "approve_server", "approve_reads", "deny"],
  ],
  changed_definition: [
    { ...approval, reason: "changed_definition" },
    ["approve", "approve_run", "approve_always", "deny"],
  ],
  outcome_unknown: [{ ...approval, reason: "outcome_unknown" }, ["approve", "deny", "retry", "done", "skip"]],
  data_flow: [{ ...approval, reason: "data_flow" }, ["approve", "approve_always", "deny"]],
  sampling: [{ ...approval, reason: "sampling" }, ["approve", "deny"]],
  plan: [{ ...approval, reason: "plan", plan: { steps: [] } }, ["approve", "deny"]],
  tape: [{ ...approval, reason: "tape" }, ["approve", "deny"]],
  form: [{ ...input, mode: "form", schema: { type: "object" } }, ["accept", "decline", "cancel"]],
  url: [{ ...input, mode: "url", url: "https://example.com" }, ["accept", "decline", "cancel"]],
  budget: [
    { type: "budget_request", requestId: "q", limit: "tokens", of: 1, used: {} },
    ["more", "finish", "stop"],
  ],
  step: [{ type: "step_request", requestId: "q", kind: "model" }, ["step", "run_on", "stop"]],
};

const names = Object.keys(answers) as AnswerName[];
const isAction = (name: AnswerName) => ["accept", "decline", "cancel"].includes(name);
const bodyOf = (name: AnswerName) => ({ requestId: "q", [isAction(name) ? "action" : "decision"]: name });

const combinations = Object.entries(kinds).flatMap(([kind, [question, takes]]) =>
  names.map((name) => ({ kind, name, question, takes })),
);
// Which tool it is decides about `approve_reads`, and no server is there.
const taken = combinations.filter(({ name, takes }) => takes.includes(name) && name !== "approve_reads");
const refused = combinations.filter(({ name, takes }) => !takes.includes(name));

async function wait(question: PendingRequest) {
  const { store } = await getDeps();
  return waitingFor({ store }, question, { userId: localUser, model: "demo/demo" });
}

const answer = (runId: string, name: AnswerName) =>
  callApi("POST", `/api/runs/${runId}/answer`, bodyOf(name));
const read = async (runId: string): Promise<RunItem> => (await callApi("GET", `/api/runs/${runId}`)).json();

test.each(taken)("$kind takes $name, and a run continues with it", async ({ name, question }) => {
  const run = await wait(question);
  const response = await answer(run.id, name);
  expect(response.status).toBe(200);
  const { runId } = await response.json();
  expect(await read(runId)).toMatchObject({ continues: run.id });
  await callApi("POST", `/api/runs/${runId}/stop`, {});
  expect((await answer(run.id, name)).status).toBe(409);
});

test.each(refused)("$kind refuses $name, names what it takes, and waits on", async (refusal) => {
  const { name, question, takes } = refusal;
  const run = await wait(question);
  const response = await answer(run.id, name);
  expect(response.status).toBe(400);
  const { error } = await response.json();
  expect(error.code).toBe("invalid_input");
  const [, field, listed = ""] = /^(\w+): this question takes (.*)\.$/.exec(error.message) ?? [];
  expect(field).toBe(question.type === "input_request" ? "action" : "decision");
  expect(listed.split(", ").toSorted()).toEqual(takes.toSorted());
  expect(await read(run.id)).toMatchObject({ status: "waiting", pending: [{ requestId: "q" }] });
});
