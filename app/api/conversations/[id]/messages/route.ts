import { AnswerEditBody } from "@/lib/server/contract/conversations";
import { editAnswer } from "@/lib/server/conversations/edit-answer";
import { json, route } from "@/lib/server/entry/route";

export const POST = route({ scope: "chat", body: AnswerEditBody }, async ({ deps, userId, params, body }) =>
  json(await editAnswer(deps, userId, params.id, body), 201),
);
