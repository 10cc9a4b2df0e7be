import { AnswerBody } from "@/lib/server/contract/chat";
import { route } from "@/lib/server/entry/route";
import { answerRun } from "@/lib/server/runs/answer-run";
import { findRun } from "@/lib/server/runs/run-item";

export const POST = route({ body: AnswerBody }, async ({ deps, userId, params, body }) =>
  answerRun(deps, await findRun(deps, userId, params.id), body),
);
