import { route } from "@/lib/server/route";
import { answerRun } from "@/lib/server/runs/answer-run";
import { findRun } from "@/lib/server/runs/run-item";
import { AnswerBody } from "@/lib/server/schemas";

export const POST = route({ body: AnswerBody }, async ({ deps, userId, params, body }) =>
  answerRun(deps, await findRun(deps, userId, params.id), body),
);
