import type { BaseDeps } from "@/lib/server/base-deps";
import { localUser } from "@/lib/server/ids";
import { leavePresets } from "@/lib/server/settings/presets";
import { forgetRequests } from "@/lib/server/settings/saved-requests";
import { forgetRules } from "@/lib/server/settings/tool-rules";

/** What people keep for a server ends with it: rules for its tools, its place in presets, requests to try again. */
export async function forgetServer(deps: Pick<BaseDeps, "store">, server: string): Promise<void> {
  await forgetRules(deps, localUser, server);
  await leavePresets(deps, localUser, server);
  await forgetRequests(deps, localUser, server);
}
