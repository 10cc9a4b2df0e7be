import { maxQueuedBytes, QueuedBody } from "@/lib/server/contract/chat";
import { listQueued, queueMessage } from "@/lib/server/conversations/queued-messages";
import { json, route } from "@/lib/server/entry/route";
import { findRun } from "@/lib/server/runs/run-item";

export const GET = route({}, async ({ deps, userId, params }) =>
  listQueued(deps, await findRun(deps, userId, params.id)),
);

export const POST = route(
  { scope: "chat", body: QueuedBody, limit: maxQueuedBytes },
  async ({ deps, userId, params, body }) =>
    json(await queueMessage(deps, await findRun(deps, userId, params.id), body), 202),
);
