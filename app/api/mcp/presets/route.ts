import { PresetBody } from "@/lib/server/contract/servers";
import { json, route } from "@/lib/server/entry/route";
import { addPreset, listPresets } from "@/lib/server/settings/presets";

export const GET = route({}, async ({ deps, userId }) => listPresets(deps, userId));

export const POST = route({ body: PresetBody }, async ({ deps, userId, body }) =>
  json(await addPreset(deps, userId, body), 201),
);
