import type { z } from "zod";
import type { GatewayCall, ListedCall } from "@/lib/protocol/gateway";
import type { ListedRun, Page } from "@/lib/protocol/http";
import { mainEntry } from "@/lib/protocol/main-argument";
import type { RunListQuery } from "@/lib/server/contract/runs";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunRow } from "@/lib/store/types";
import { forksOf, originOf, questionOf, toListedRun } from "./run-item";

/** Runs, newest first, without their loops. Each is read after the other: a run that waits takes its whole log. */
export async function listRuns(
  deps: RunDeps,
  userId: string,
  { limit, cursor, status, kind, conversation, schedule, token }: z.output<typeof RunListQuery>,
): Promise<Page<ListedRun>> {
  const { items, nextCursor } = await deps.store.runs.list(userId, {
    ...{ limit, status, kind, conversationId: conversation, schedule, tokenId: token },
    ...(cursor && { cursor }),
  });
  const questions = new Map<string, Question>();
  const listed: ListedRun[] = [];
  for (const row of items) {
    const { text, answers } = questions.get(keyOf(row)) ?? (await readQuestion(deps, row, questions));
    const forkedFrom = originOf(row);
    listed.push({
      ...(await toListedRun(deps, row)),
      ...(forkedFrom && { forkedFrom }),
      ...(row.options.matrix !== undefined && { matrix: row.options.matrix }),
      forks: await forksOf(deps, row, answers),
      continuedBy: answers.find(({ continues }) => continues === row.id)?.id ?? null,
      question: text,
      ...(row.options.gateway && { call: callOf(row, row.options.gateway) }),
    });
  }
  return { items: listed, nextCursor };
}

/** Characters of the argument that a call is told by. */
const maxArgument = 200;

function callOf({ callStatus }: RunRow, { call }: GatewayCall): ListedCall {
  const [, value] = mainEntry(call.args) ?? [];
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { tool: call.name, argument: text?.slice(0, maxArgument) ?? null, status: callStatus ?? null };
}

/** What runs of one question share, of which a page may hold hundreds. */
interface Question {
  text: string;
  answers: Pick<RunRow, "id" | "continues" | "options">[];
}

const keyOf = ({ conversationId, messageId }: RunRow): string => `${conversationId} ${messageId}`;

async function readQuestion(deps: RunDeps, row: RunRow, known: Map<string, Question>): Promise<Question> {
  const answers = await deps.store.runs.ofMessage(row.conversationId, row.messageId);
  const question = {
    text: await questionOf(deps, row),
    answers: answers.map(({ id, continues, options: { forkedFrom } }) => ({
      ...{ id, continues },
      options: forkedFrom ? { forkedFrom } : {},
    })),
  };
  known.set(keyOf(row), question);
  return question;
}
