import { chat } from "@/lib/server/chat";
import { route } from "@/lib/server/route";
import { streamRun } from "@/lib/server/runs/read-run";
import { ChatBody } from "@/lib/server/schemas";

export const POST = route({ body: ChatBody }, async ({ deps, userId, body, request }) =>
  streamRun(deps, await chat(deps, userId, body), 0, request.signal),
);
