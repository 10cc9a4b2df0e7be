import { PresetBody } from "@/lib/server/mcp-schemas";
import { addPreset, listPresets } from "@/lib/server/presets";
import { json, route } from "@/lib/server/route";

export const GET = route({}, async ({ deps, userId }) => listPresets(deps, userId));

export const POST = route({ body: PresetBody }, async ({ deps, userId, body }) =>
  json(await addPreset(deps, userId, body), 201),
);
