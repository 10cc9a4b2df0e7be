import { EmptyBody } from "@/lib/server/contract/fields";
import { json, route } from "@/lib/server/entry/route";
import { sendAgain } from "@/lib/server/hooks/hooks";

export const POST = route({ body: EmptyBody }, async ({ deps, person, params }) =>
  json(await sendAgain(deps, person, { hookId: params.id, id: params.messageId }), 202),
);
