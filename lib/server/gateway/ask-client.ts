import type { CallFollower, ClientQuestion, ElicitParams } from "@/lib/mcp/gateway/offer";
import { readSampling } from "@/lib/mcp/questions/sampling";
import type { ApprovalRequest, InputRequest, PendingRequest } from "@/lib/protocol/chunk";
import { takes } from "@/lib/protocol/questions";
import { publicUrl } from "@/lib/server/env";
import type { GatewaySessionRow } from "@/lib/store/kept-ports";
import type { RunRow } from "@/lib/store/types";
import type { CallDeps } from "./begin-call";

/** What a client can be asked. */
export interface ClientAbilities {
  /** To show to its person. */
  form: boolean;
  url: boolean;
  /** To have its model write: a message of one part each, of several parts, or with tools. */
  sampling?: "plain" | "parts" | "tools";
}

/** As it has said when its session began; before 2025-11-25 there were forms alone, and messages of one part. */
export function abilitiesOf({
  capabilities: { elicitation, sampling },
  protocol,
}: Pick<GatewaySessionRow, "capabilities" | "protocol">): ClientAbilities {
  const url = isObject(elicitation) && "url" in elicitation;
  const parts = protocol < "2025-11-25" ? "plain" : "parts";
  return {
    ...{ form: isObject(elicitation) && ("form" in elicitation || !url), url },
    ...(isObject(sampling) && { sampling: "tools" in sampling ? "tools" : parts }),
  };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

interface Asked {
  row: Pick<RunRow, "id">;
  questions: readonly PendingRequest[];
  abilities: ClientAbilities;
  follow: Pick<CallFollower, "ask">;
}

/**
 * Puts the questions of a run to the client as well, where that can show them to its person, or have its model write. They are
 * answered here or there: who is first counts. Returns how they are taken back.
 */
export function askClient(
  deps: Pick<CallDeps, "env">,
  { row, questions, abilities, follow }: Asked,
): () => void {
  const withdrawals = questions.flatMap((question) => {
    const asked = toClientQuestion(question, abilities, publicUrl(deps.env));
    return asked ? [follow.ask(questionName(row, question), asked)] : [];
  });
  return () => {
    for (const withdraw of withdrawals) withdraw();
  };
}

/** By which the answer of a client finds its question, whichever instance it comes to. */
export const questionName = ({ id }: Pick<RunRow, "id">, { requestId }: Pick<PendingRequest, "requestId">) =>
  `${id}:${requestId}`;

export function readQuestionName(name: unknown): { runId: string; requestId: string } | undefined {
  const [, runId, requestId] = (typeof name === "string" && /^([^:]+):(.+)$/s.exec(name)) || [];
  return runId && requestId ? { runId, requestId } : undefined;
}

function toClientQuestion(
  question: PendingRequest,
  abilities: ClientAbilities,
  ours: string,
): ClientQuestion | undefined {
  const isSampling = question.type === "approval_request" && question.reason === "sampling";
  const params = isSampling ? toSampling(question, abilities) : toElicitation(question, abilities, ours);
  if (!params) return undefined;
  return isSampling
    ? { method: "sampling/createMessage", params }
    : { method: "elicitation/create", params: params as ElicitParams };
}

function toElicitation(
  question: PendingRequest,
  { form, url }: ClientAbilities,
  ours: string,
): ElicitParams | undefined {
  switch (question.type) {
    case "approval_request":
      return form && question.reason !== "plan" ? approvalForm(question) : undefined;
    case "input_request":
      if (question.mode === "form") return form ? serverForm(question) : undefined;
      return url ? page(question, ours) : undefined;
    case "budget_request":
    case "step_request":
      return undefined;
  }
}

/** Nothing where the client would not understand it. */
function toSampling({ call }: ApprovalRequest, { sampling }: ClientAbilities): object | undefined {
  const request = readSampling(call.args);
  if (!request || !sampling || (request.tools && sampling !== "tools")) return undefined;
  if (sampling === "plain" && request.messages.some(({ content }) => content.length > 1)) return undefined;
  const messages = request.messages.map(({ role, content }) => ({
    ...{ role, content: content.length === 1 ? content[0] : content },
  }));
  return { ...request, messages };
}

const maxShown = 2_000;

function approvalForm({ call, reason, flows = [] }: ApprovalRequest): ElicitParams {
  const args = JSON.stringify(call.args, null, 1);
  const shown = args.length > maxShown ? `${args.slice(0, maxShown)} …` : args;
  const why = [
    ...(reason === "changed_definition" ? ["Its definition has changed since it was accepted."] : []),
    ...(reason === "outcome_unknown" ? ["It was sent before, and may have taken effect."] : []),
    ...flows.map(
      ({ server, argument, excerpt }) =>
        `${argument} carries what ${server} has returned: ${JSON.stringify(excerpt)}.`,
    ),
  ];
  const coversSession = takes(reason, "approve_run");
  return {
    mode: "form",
    message: [`May ${call.name} be called?`, ...why, shown].join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          ...{ type: "string", title: "Answer" },
          oneOf: [
            { const: "approve", title: "Allow once" },
            ...(coversSession ? [{ const: "approve_run", title: "Allow in this session" }] : []),
            { const: "deny", title: "Deny" },
          ],
        },
        reason: { type: "string", title: "Why not", description: "Told to the model where you deny it." },
      },
      required: ["decision"],
    },
  };
}

const serverForm = ({ server, message, schema }: InputRequest): ElicitParams => ({
  ...{ mode: "form", message: `${server}: ${message}` },
  requestedSchema: schema as Record<string, unknown>,
});

/** An address of ours has no host of its own. */
const page = ({ requestId, server, message, url = "" }: InputRequest, ours: string): ElicitParams => ({
  ...{ mode: "url", message: `${server}: ${message}`, elicitationId: requestId },
  url: new URL(url, ours).href,
});
