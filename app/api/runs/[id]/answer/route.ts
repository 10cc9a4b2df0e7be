import { AnswerBody } from "@/lib/server/contract/chat";
import { route } from "@/lib/server/entry/route";
import { answerRun } from "@/lib/server/runs/answer-run";
import { findRun } from "@/lib/server/runs/run-item";

export const POST = route(
  {
    scope: "chat",
    body: AnswerBody,
    audit: ({ params, body }) => ({
      action: "calls.answered",
      on: body.decision ? `${params.id}, ${body.decision}` : params.id,
    }),
  },
  async ({ deps, person, params, body }) =>
    answerRun(deps, await findRun(deps, person.id, params.id), body, {
      mayAccept: person.role === "admin",
      mayAllowForGood: !person.token || person.token.scopes.includes("admin"),
    }),
);
