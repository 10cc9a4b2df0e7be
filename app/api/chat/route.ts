import { ChatBody } from "@/lib/server/contract/chat";
import { chat } from "@/lib/server/conversations/chat";
import { route } from "@/lib/server/entry/route";
import { streamRun } from "@/lib/server/runs/read-run";

export const POST = route({ body: ChatBody }, async ({ deps, userId, body, request }) =>
  streamRun(deps, await chat(deps, userId, body), 0, request),
);
