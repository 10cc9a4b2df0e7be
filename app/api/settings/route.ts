import { route } from "@/lib/server/route";
import { patchSettings, readSettings } from "@/lib/server/settings";
import { SettingsPatch } from "@/lib/server/settings-schemas";

export const GET = route({}, async ({ deps, userId }) => readSettings(deps, userId));

export const PATCH = route({ body: SettingsPatch }, async ({ deps, userId, body }) =>
  patchSettings(deps, userId, body),
);
