import type { BaseDeps } from "@/lib/server/base-deps";
import { ProjectBody, projectQuota } from "@/lib/server/contract/projects";
import { newId } from "@/lib/server/ids";

/** Where a conversation of a file goes. */
export interface Placed {
  projectId: string | null;
  /** Takes back what was added for it alone. */
  undo(): Promise<void>;
}

/** The project of this name, the oldest of several; else a new one, without instructions and files. Null where there is no room. */
export async function placeInProject(
  { store }: Pick<BaseDeps, "store">,
  userId: string,
  name: string,
): Promise<Placed> {
  const nothing = async () => {};
  const { items } = await store.projects.list(userId, { limit: projectQuota.count });
  const known = items.findLast((project) => project.name === name);
  if (known) return { projectId: known.id, undo: nothing };
  if (!ProjectBody.shape.name.safeParse(name).success) return { projectId: null, undo: nothing };
  const id = newId();
  const row = { id, userId, createdAt: Date.now(), name, instructions: "", files: [] };
  const isAdded = await store.projects.add(row, projectQuota);
  return {
    projectId: isAdded ? id : null,
    undo: isAdded ? async () => void (await store.projects.delete(userId, id, "none")) : nothing,
  };
}
