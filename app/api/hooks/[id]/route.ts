import { HookPatch } from "@/lib/server/contract/hooks";
import { route } from "@/lib/server/entry/route";
import { patchHook, removeHook } from "@/lib/server/hooks/hooks";

export const PATCH = route(
  { body: HookPatch, audit: ({ params }) => ({ action: "setup.hook_changed", on: params.id }) },
  async ({ deps, person, params, body }) => patchHook(deps, person, params.id, body),
);

export const DELETE = route(
  { audit: ({ params }) => ({ action: "setup.hook_deleted", on: params.id }) },
  async ({ deps, person, params }) => removeHook(deps, person, params.id),
);
