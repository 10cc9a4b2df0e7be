import { pendingRequests } from "@/lib/protocol/pending-requests";
import { answers } from "@/lib/protocol/questions";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readWholeLog } from "@/lib/server/loop/stored-run";
import { allowsReads, approvalPolicy, flowPolicy } from "@/lib/server/settings/approval-policy";
import type { RunRow } from "@/lib/store/types";
import type { AnswerRequest } from "./read-answer";

/** Whether an answer allows more calls than those of one run, so that other open questions may be settled by it. */
export function isKept({ decision }: AnswerRequest): boolean {
  const meaning = decision && answers[decision];
  return meaning?.effect === "run" && meaning.covers !== undefined && meaning.covers !== "run";
}

/** The open questions of a run whose calls need none any more: what was kept since allows them as they were asked about. */
export async function coveredQuestions(deps: RunDeps, row: RunRow): Promise<string[]> {
  const live = deps.runs.get(row.id);
  const log = live?.chunks ?? [
    ...(await readWholeLog(deps, row.id)).map(({ data }) => data),
    ...(await deps.store.runs.answers(row.id)),
  ];
  const policy = approvalPolicy(deps, row.userId, {
    has: () => false,
    allowsReads: () => allowsReads(deps, row),
  });
  const flows = flowPolicy(deps, row.userId);
  const covered: string[] = [];
  for (const asked of pendingRequests(log)) {
    if (asked.type !== "approval_request") continue;
    if (asked.reason !== "rule" && asked.reason !== "data_flow") continue;
    const verdict = await policy(asked.call);
    if ((await flows(asked.call, asked.flows ?? [])) !== "allow") continue;
    const isSame =
      typeof verdict === "object" && "allow" in verdict && verdict.allow.definition === asked.call.definition;
    if (isSame) covered.push(asked.requestId);
  }
  return covered;
}
