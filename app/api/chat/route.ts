import { ChatBody } from "@/lib/server/contract/chat";
import { chat } from "@/lib/server/conversations/chat";
import { compare } from "@/lib/server/conversations/compare";
import { json, route } from "@/lib/server/entry/route";
import { streamRun } from "@/lib/server/runs/read-run";

export const POST = route({ scope: "chat", body: ChatBody }, async ({ deps, userId, body, request }) => {
  if (!body.compare) return streamRun(deps, await chat(deps, userId, body), 0, request);
  const runs = await compare(deps, userId, body, body.compare);
  const [first] = runs;
  return json(
    {
      conversationId: first?.conversationId,
      runs: runs.map(({ id, model, messageId }) => ({ runId: id, model, messageId })),
    },
    202,
  );
});
