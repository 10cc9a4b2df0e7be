import type { RunLimits } from "@/lib/protocol/http";
import type { Deps } from "./deps";

/** What the user has set for runs whose request does not say otherwise; a run keeps what held when it began. */
export const readLimits = async ({ store }: Pick<Deps, "store">, userId: string): Promise<RunLimits> =>
  (await store.settings.get<RunLimits>(userId, "limits")) ?? {};
