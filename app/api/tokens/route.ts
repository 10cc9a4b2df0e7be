import { ApiTokenBody } from "@/lib/server/contract/api-tokens";
import { json, route } from "@/lib/server/entry/route";

export const GET = route({ scope: "none" }, async ({ deps, person }) => deps.tokens.list(person));

export const POST = route(
  {
    scope: "none",
    body: ApiTokenBody,
    audit: ({ body }) => ({ action: "tokens.made", on: `${body.name}, ${body.scopes.join(" ")}` }),
  },
  async ({ deps, person, body }) => json(await deps.tokens.create(person, body), 201),
);
