import { chat } from "@/lib/server/conversations/chat";
import { route } from "@/lib/server/entry/route";
import { ChatBody } from "@/lib/server/http/schemas";
import { streamRun } from "@/lib/server/runs/read-run";

export const POST = route({ body: ChatBody }, async ({ deps, userId, body, request }) =>
  streamRun(deps, await chat(deps, userId, body), 0, request.signal),
);
