import { route } from "@/lib/server/entry/route";

export const DELETE = route(
  { scope: "none", audit: ({ params }) => ({ action: "tokens.deleted", on: params.id }) },
  async ({ deps, person, params }) => deps.tokens.delete(person, params.id),
);
