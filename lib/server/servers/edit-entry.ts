import type { EntryChange } from "@/lib/mcp/config/edit-servers";
import { restoreMasked } from "@/lib/mcp/config/mask-config";
import type { BaseDeps } from "@/lib/server/base-deps";
import { notFound } from "@/lib/server/http/errors";
import { checkOwnEntry } from "./check-own-entry";
import type { OwnEntries } from "./own-entries";

interface EditDeps extends Pick<BaseDeps, "pool"> {
  ownEntries: OwnEntries | undefined;
}

/** Whether nobody else has this server. */
export const isOwnServer = (
  { pool }: Pick<BaseDeps, "pool">,
  { name, userId }: { name: string; userId: string },
): boolean => pool.server(name)?.owner === userId;

/** Changes an entry where it is: in the file, or among a person's own. Masked values in what `change` returns mean "as before". */
export async function editEntry(
  deps: EditDeps,
  whose: { name: string; userId: string },
  change: EntryChange,
): Promise<void> {
  const { name, userId } = whose;
  const { ownEntries, pool } = deps;
  if (!ownEntries || !isOwnServer(deps, whose)) return pool.file.edit(name, change);
  const stored = ownEntries.of(userId).get(name);
  if (!stored) throw notFound("server");
  const next = restoreMasked(await change(structuredClone(stored)), stored);
  checkOwnEntry(name, next);
  await ownEntries.change(userId, (entries) => {
    if (!entries.has(name)) throw notFound("server");
    entries.set(name, next);
  });
  pool.applyOwn();
}
