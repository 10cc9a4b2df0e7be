import type { SettingsItem } from "@/lib/protocol/settings";
import { SettingsPatch } from "@/lib/server/contract/settings";
import { route } from "@/lib/server/entry/route";
import type { Person } from "@/lib/server/http/guard";
import { checkPatch, settingsForMember, sharedFields } from "@/lib/server/settings/member-settings";
import { patchSettings, readSettings } from "@/lib/server/settings/settings";

const seenBy = ({ role }: Person, item: SettingsItem) => (role === "admin" ? item : settingsForMember(item));

export const GET = route({}, async ({ deps, person, userId }) =>
  seenBy(person, await readSettings(deps, userId)),
);

export const PATCH = route(
  {
    body: SettingsPatch,
    audit: ({ body }) => {
      const changed = sharedFields(body);
      return changed.length === 0 ? undefined : { action: "setup.models_changed", on: changed.join(", ") };
    },
  },
  async ({ deps, person, userId, body }) => {
    checkPatch(deps, person, body);
    return seenBy(person, await patchSettings(deps, userId, body));
  },
);
