import { maxTriggerBytes, TriggerCall } from "@/lib/server/contract/schedules";
import { json, route } from "@/lib/server/entry/route";
import { callTrigger, removeTrigger } from "@/lib/server/schedules/triggers";

/** The last part of its address is its token. */
export const POST = route(
  { access: "public", body: TriggerCall, limit: maxTriggerBytes },
  async ({ deps, request, params, body }) => {
    const key = request.headers.get("idempotency-key");
    return json(await callTrigger(deps, params.id, { key, body }), 202);
  },
);

export const DELETE = route(
  { scope: "none", audit: ({ params }) => ({ action: "tokens.trigger_deleted", on: params.id }) },
  async ({ deps, userId, params }) => removeTrigger(deps, userId, params.id),
);
