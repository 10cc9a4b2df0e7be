import { maxTriggerBytes, TriggerCall, TriggerPatch } from "@/lib/server/contract/schedules";
import { json, route } from "@/lib/server/entry/route";
import { callTrigger, patchTrigger, removeTrigger } from "@/lib/server/schedules/triggers";

/** The last part of its address is its token. */
export const POST = route(
  { access: "public", body: TriggerCall, limit: maxTriggerBytes },
  async ({ deps, request, params, body }) => {
    const key = request.headers.get("idempotency-key");
    return json(await callTrigger(deps, params.id, { key, body }), 202);
  },
);

export const PATCH = route(
  {
    scope: "none",
    body: TriggerPatch,
    audit: ({ params }) => ({ action: "tokens.trigger_changed", on: params.id }),
  },
  async ({ deps, userId, params, body }) => patchTrigger(deps, userId, params.id, body),
);

export const DELETE = route(
  { scope: "none", audit: ({ params }) => ({ action: "tokens.trigger_deleted", on: params.id }) },
  async ({ deps, userId, params }) => removeTrigger(deps, userId, params.id),
);
