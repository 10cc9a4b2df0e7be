import { SettingsPatch } from "@/lib/server/contract/settings";
import { route } from "@/lib/server/entry/route";
import { patchSettings, readSettings } from "@/lib/server/settings/settings";

export const GET = route({}, async ({ deps, userId }) => readSettings(deps, userId));

export const PATCH = route({ body: SettingsPatch }, async ({ deps, userId, body }) =>
  patchSettings(deps, userId, body),
);
