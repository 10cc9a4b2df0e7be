import { PresetPatch } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { patchPreset, removePreset } from "@/lib/server/settings/presets";

export const PATCH = route({ body: PresetPatch }, async ({ deps, userId, params, body }) =>
  patchPreset(deps, userId, params.id, body),
);

export const DELETE = route({}, async ({ deps, userId, params }) => removePreset(deps, userId, params.id));
