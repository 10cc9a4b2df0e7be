import { ResourceBody } from "@/lib/server/contract/offers";
import { route } from "@/lib/server/entry/route";
import { readResource } from "@/lib/server/servers/library";

export const POST = route({ scope: "chat", body: ResourceBody }, async ({ deps, body, request }) =>
  readResource(deps, body, request.signal),
);
