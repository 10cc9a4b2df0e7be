import type { z } from "zod";
import type { SettingsItem } from "@/lib/protocol/settings";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { SettingsPatch } from "@/lib/server/contract/settings";
import { HttpError } from "@/lib/server/http/errors";

type Patch = z.output<typeof SettingsPatch>;

/** What everybody uses, so that an admin alone changes it; all other settings are one's own. */
const shared = ["providers", "endpoints", "models", "prices"] as const satisfies (keyof Patch)[];

/** What of a change is about what everybody uses. */
export const sharedFields = (patch: Patch) => shared.filter((name) => patch[name] !== undefined);

/** What of a change is not for who asks, or not where several people share what there is. */
export function checkPatch(
  { env }: Pick<BaseDeps, "env">,
  { role }: { role: "admin" | "member" },
  patch: Patch,
): void {
  const [field] = sharedFields(patch);
  if (field && role !== "admin")
    throw new HttpError(403, "forbidden", `${field}: only an admin can change this; ask one.`);
  if (env.AUTH === "accounts" && patch.retention?.bytes !== undefined)
    throw new HttpError(
      422,
      "not_supported",
      "retention.bytes: what takes space is everybody's here, so that only days can be set.",
    );
}

/** The settings as a member sees them: which models there are, and not how they are reached. */
export const settingsForMember = (item: SettingsItem): SettingsItem => ({
  ...item,
  providers: item.providers.map((provider) => ({ ...provider, keyEnd: null, baseURL: null })),
  endpoints: item.endpoints.map(({ id, name, api, source, models }) => ({
    ...{ id, name, api, source, baseURL: "", keyEnd: null, headerNames: [] },
    ...(models && { models }),
  })),
});
