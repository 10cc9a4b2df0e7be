import type { BaseDeps } from "@/lib/server/base-deps";
import type { AssistantRow } from "@/lib/store/kept-types";

/** As many are kept. */
const maxAssistants = 200;

export const assistantsOf = async (
  { store }: Pick<BaseDeps, "store">,
  userId: string,
): Promise<AssistantRow[]> => (await store.assistants.list(userId, { limit: maxAssistants })).items;

/** By its id, or else by its name in any case. */
export async function findAssistant(
  deps: Pick<BaseDeps, "store">,
  userId: string,
  named: string,
): Promise<AssistantRow | undefined> {
  const all = await assistantsOf(deps, userId);
  const name = named.trim().toLowerCase();
  return all.find(({ id }) => id === named) ?? all.find((each) => each.name.toLowerCase() === name);
}
