import { HookBody } from "@/lib/server/contract/hooks";
import { json, route } from "@/lib/server/entry/route";
import { addHook, listHooks } from "@/lib/server/hooks/hooks";

export const GET = route({}, async ({ deps, person }) => listHooks(deps, person));

export const POST = route(
  // The rest of an address may be as good as a password.
  { body: HookBody, audit: ({ body }) => ({ action: "setup.hook_added", on: URL.parse(body.url)?.host }) },
  async ({ deps, person, body }) => json(await addHook(deps, person, body), 201),
);
