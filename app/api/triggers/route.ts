import { TriggerBody } from "@/lib/server/contract/schedules";
import { json, route } from "@/lib/server/entry/route";
import { addTrigger, listTriggers } from "@/lib/server/schedules/triggers";

export const GET = route({}, async ({ deps, userId }) => listTriggers(deps, userId));

export const POST = route(
  // Its address is a secret as a token is.
  {
    scope: "none",
    body: TriggerBody,
    audit: ({ body }) => ({ action: "tokens.trigger_made", on: body.name }),
  },
  async ({ deps, userId, body }) => json(await addTrigger(deps, userId, body), 201),
);
