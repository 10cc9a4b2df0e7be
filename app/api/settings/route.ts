import { route } from "@/lib/server/entry/route";
import { SettingsPatch } from "@/lib/server/http/settings-schemas";
import { patchSettings, readSettings } from "@/lib/server/settings/settings";

export const GET = route({}, async ({ deps, userId }) => readSettings(deps, userId));

export const PATCH = route({ body: SettingsPatch }, async ({ deps, userId, body }) =>
  patchSettings(deps, userId, body),
);
