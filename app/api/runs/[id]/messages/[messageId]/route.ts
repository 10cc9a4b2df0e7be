import { maxQueuedBytes, QueuedPatch } from "@/lib/server/contract/chat";
import { changeQueued, takeBack } from "@/lib/server/conversations/queued-messages";
import { route } from "@/lib/server/entry/route";
import { findRun } from "@/lib/server/runs/run-item";

export const PATCH = route(
  { scope: "chat", body: QueuedPatch, limit: maxQueuedBytes },
  async ({ deps, userId, params, body }) =>
    changeQueued(deps, await findRun(deps, userId, params.id), params.messageId, body),
);

export const DELETE = route({ scope: "chat" }, async ({ deps, userId, params }) =>
  takeBack(deps, await findRun(deps, userId, params.id), params.messageId),
);
