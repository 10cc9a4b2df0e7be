import type { BaseDeps } from "@/lib/server/base-deps";
import { HttpError } from "@/lib/server/http/errors";
import type { ProjectRow } from "@/lib/store/kept-types";
import type { AttachmentRow } from "@/lib/store/types";
import { copyAttachment, type FileDeps, isLoose } from "./attachments";

/** The ids that a project keeps for those that a request names; a file of something else comes along as a copy. */
export async function ownFiles(
  deps: FileDeps,
  userId: string,
  projectId: string,
  ids: readonly string[],
  field = "files",
): Promise<string[]> {
  const rows: AttachmentRow[] = [];
  for (const [at, id] of [...new Set(ids)].entries()) {
    const row = await deps.store.attachments.get(userId, id);
    if (!row)
      throw new HttpError(404, "not_found", `${field}.${at}: this file is no longer there; add it again.`);
    rows.push(row);
  }
  const own: string[] = [];
  // Not before all of them are known to be there: copies that nobody takes up stay for a day.
  for (const row of rows) {
    const isOwn = row.projectId === projectId || isLoose(row);
    own.push(isOwn ? row.id : (await copyAttachment(deps, row, null)).id);
  }
  return own;
}

/** The files of a project in their order, each under a name of its own. */
export async function filesOf(
  { store }: Pick<BaseDeps, "store">,
  project: Pick<ProjectRow, "id" | "files">,
): Promise<AttachmentRow[]> {
  if (project.files.length === 0) return [];
  const rows = new Map((await store.attachments.ofProject(project.id)).map((row) => [row.id, row]));
  const taken = new Set<string>();
  return project.files.flatMap((id) => {
    const row = rows.get(id);
    if (!row) return [];
    let { name } = row;
    for (let count = 2; taken.has(name); count++) name = numbered(row.name, count);
    taken.add(name);
    return { ...row, name };
  });
}

/** `notes.md` becomes `notes (2).md`. */
const numbered = (name: string, count: number): string =>
  name.replace(/(?<ending>\.[^.]*)?$/, (ending) => ` (${count})${ending}`);
