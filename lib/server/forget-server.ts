import type { Deps } from "./deps";
import { localUser } from "./ids";
import { leavePresets } from "./presets";
import { forgetRequests } from "./saved-requests";
import { forgetRules } from "./tool-rules";

/** What people keep for a server ends with it: rules for its tools, its place in presets, requests to try again. */
export async function forgetServer(deps: Pick<Deps, "store" | "runs">, server: string): Promise<void> {
  await forgetRules(deps, localUser, server);
  await leavePresets(deps, localUser, server);
  await forgetRequests(deps, localUser, server);
}
