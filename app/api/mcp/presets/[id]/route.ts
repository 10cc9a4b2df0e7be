import { PresetPatch } from "@/lib/server/mcp-schemas";
import { patchPreset, removePreset } from "@/lib/server/presets";
import { route } from "@/lib/server/route";

export const PATCH = route({ body: PresetPatch }, async ({ deps, userId, params, body }) =>
  patchPreset(deps, userId, params.id, body),
);

export const DELETE = route({}, async ({ deps, userId, params }) => removePreset(deps, userId, params.id));
