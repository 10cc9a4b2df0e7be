import type { CallFollower, ElicitParams } from "@/lib/mcp/gateway/offer";
import type { ApprovalRequest, InputRequest, PendingRequest } from "@/lib/protocol/chunk";
import { takes } from "@/lib/protocol/questions";
import { publicUrl } from "@/lib/server/env";
import type { GatewaySessionRow } from "@/lib/store/kept-ports";
import type { RunRow } from "@/lib/store/types";
import type { CallDeps } from "./begin-call";

/** What a client can show to its person. */
export interface ClientAbilities {
  form: boolean;
  url: boolean;
}

/** As it has said when its session began; before 2025-11-25 there were forms alone. */
export function abilitiesOf({ capabilities }: Pick<GatewaySessionRow, "capabilities">): ClientAbilities {
  const { elicitation } = capabilities;
  if (typeof elicitation !== "object" || elicitation === null) return { form: false, url: false };
  const url = "url" in elicitation;
  return { form: "form" in elicitation || !url, url };
}

interface Asked {
  row: Pick<RunRow, "id">;
  questions: readonly PendingRequest[];
  abilities: ClientAbilities;
  follow: Pick<CallFollower, "elicit">;
}

/**
 * Puts the questions of a run to the person of the client as well, where that can show them. They are answered here or there: who
 * is first counts. Returns how they are taken back.
 */
export function askClient(
  deps: Pick<CallDeps, "env">,
  { row, questions, abilities, follow }: Asked,
): () => void {
  const withdrawals = questions.flatMap((question) => {
    const params = toElicitation(question, abilities, publicUrl(deps.env));
    return params ? [follow.elicit(questionName(row, question), params)] : [];
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

function toElicitation(
  question: PendingRequest,
  { form, url }: ClientAbilities,
  ours: string,
): ElicitParams | undefined {
  switch (question.type) {
    case "approval_request":
      return form && isAboutCall(question) ? approvalForm(question) : undefined;
    case "input_request":
      if (question.mode === "form") return form ? serverForm(question) : undefined;
      return url ? page(question, ours) : undefined;
    case "budget_request":
    case "step_request":
      return undefined;
  }
}

/** What a server wants a model to write is read in Meguri alone. */
const isAboutCall = ({ reason }: ApprovalRequest): boolean => reason !== "sampling" && reason !== "plan";

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
