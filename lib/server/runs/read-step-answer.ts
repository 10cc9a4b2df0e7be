import { findArgumentProblems } from "@/lib/agent/argument-problems";
import type { Answer, StepEdit } from "@/lib/protocol/answer";
import type { Chunk, StepRequest } from "@/lib/protocol/chunk";
import type { ModelRequest } from "@/lib/protocol/http";
import { questions, takes } from "@/lib/protocol/questions";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunRow } from "@/lib/store/types";
import type { AnswerRequest } from "./read-answer";
import { readRequest } from "./read-request";

/** The answer to a call that waits in step mode; what its kind does not take, or does not fit, is a 400 that names the field. */
export async function readStepAnswer(
  deps: RunDeps,
  { row, log, asked }: { row: RunRow; log: readonly Chunk[]; asked: StepRequest },
  request: AnswerRequest,
): Promise<Answer> {
  const { decision } = request;
  // Of JSON nothing is there and undefined.
  const payload = request.payload as StepEdit | undefined;
  if (!takes("step", decision))
    throw inputError(`decision: this question takes ${questions.step.takes.join(", ")}.`);
  if (request.plan) throw inputError("plan: answers a question about a plan only.");
  if (request.addToPlan)
    throw inputError("addToPlan: goes with approve, and with a call that a rule asks about.");
  if (request.args) throw inputError("args: changed arguments of a step go into payload.args.");
  if (!payload) return { decision };
  if (decision === "stop") throw inputError("payload: goes with step and run_on only.");
  if (asked.kind === "tool") checkTool(deps, asked, payload);
  else await checkModel(deps, { row, log, asked }, payload);
  return { decision, payload };
}

function checkTool(
  { pool }: RunDeps,
  asked: Extract<StepRequest, { kind: "tool" }>,
  payload: StepEdit,
): void {
  const other = Object.keys(payload).find((field) => field !== "args");
  if (other)
    throw inputError(
      `payload.${other}: changes a call of a model; this is a call of a tool, which takes args.`,
    );
  const found = pool.tool(asked.payload.name);
  const [problem] = found && payload.args ? findArgumentProblems(found.item.inputSchema, payload.args) : [];
  if (problem) throw inputError(`payload.args: ${problem}`);
}

async function checkModel(
  deps: RunDeps,
  { row, log, asked }: { row: RunRow; log: readonly Chunk[]; asked: StepRequest },
  payload: StepEdit,
): Promise<void> {
  if (payload.args) throw inputError("payload.args: changes a call of a tool; this is a call of a model.");
  if (!payload.tools && !payload.results) return;
  const sent = await readRequest(deps, row, String(turnOf(log, asked)));
  const stranger = payload.tools?.findIndex((name) => sent.tools?.every((tool) => tool.name !== name));
  if (stranger !== undefined && stranger >= 0)
    throw inputError(
      `payload.tools.${stranger}: the model would not be sent this tool; tools can only be left out.`,
    );
  const known = lastResults(sent);
  const unknown = payload.results?.findIndex(({ id }) => !known.has(id));
  if (unknown !== undefined && unknown >= 0)
    throw inputError(
      `payload.results.${unknown}.id: only results of the calls that the model has made last can be changed.`,
    );
}

/** The turn that waits, counted as `requests/:index` counts. */
function turnOf(log: readonly Chunk[], { requestId }: StepRequest): number {
  const at = log.findIndex((chunk) => chunk.type === "step_request" && chunk.requestId === requestId);
  const { agent } = log[at] ?? {};
  const from = log.slice(0, at).findLastIndex((chunk) => chunk.type === "iteration" && chunk.agent === agent);
  return log.slice(0, from + 1).filter(({ type }) => type === "iteration").length;
}

function lastResults({ messages }: ModelRequest): ReadonlySet<string> {
  const all = messages ?? [];
  const from = all.findLastIndex(({ role }) => role === "assistant");
  return new Set(
    all
      .slice(from + 1)
      .flatMap((message) => (message.role === "tool" ? message.results.map(({ id }) => id) : [])),
  );
}

const inputError = (message: string) => new HttpError(400, "invalid_input", message);
