import { CompleteBody } from "@/lib/server/contract/offers";
import { route } from "@/lib/server/entry/route";
import { complete } from "@/lib/server/servers/library";

export const POST = route({ scope: "chat", body: CompleteBody }, async ({ deps, body, request }) =>
  complete(deps, body, request.signal),
);
