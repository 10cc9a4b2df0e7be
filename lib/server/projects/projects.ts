import type { z } from "zod";
import type { Page } from "@/lib/protocol/http";
import {
  type ProjectDetail,
  type ProjectFields,
  type ProjectItem,
  projectLimits,
} from "@/lib/protocol/projects";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { filesOf, ownFiles } from "@/lib/server/attachments/project-files";
import type { PageQuery } from "@/lib/server/contract/fields";
import {
  type ProjectBody,
  type ProjectDeletion,
  type ProjectPatch,
  projectQuota,
} from "@/lib/server/contract/projects";
import { deleteConversation } from "@/lib/server/conversations/delete-conversation";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { ProjectListRow } from "@/lib/store/kept-types";

type ProjectDeps = RunDeps & { files: AttachmentFiles };

export async function listProjects(
  { store }: Pick<ProjectDeps, "store">,
  userId: string,
  { limit, cursor }: z.output<typeof PageQuery>,
): Promise<Page<ProjectItem>> {
  const page = await store.projects.list(userId, { limit, ...(cursor && { cursor }) });
  return { items: page.items.map(toItem), nextCursor: page.nextCursor };
}

export async function addProject(
  deps: ProjectDeps,
  userId: string,
  { files, ...body }: z.output<typeof ProjectBody>,
): Promise<ProjectDetail> {
  const id = newId();
  const fields = toFields({ ...body, files: await ownFiles(deps, userId, id, files) });
  if (!(await deps.store.projects.add({ id, userId, createdAt: Date.now(), ...fields }, projectQuota)))
    throw full();
  return readProject(deps, userId, id);
}

export async function readProject(
  deps: Pick<ProjectDeps, "store">,
  userId: string,
  id: string,
): Promise<ProjectDetail> {
  const row = await deps.store.projects.getCounted(userId, id);
  if (!row) throw notFound("project");
  const files = await filesOf(deps, row);
  return {
    ...toItem(row),
    attachments: files.map(({ id, name, mediaType, size, characters }) => ({
      ...{ id, name, size, mimeType: mediaType },
      readable: characters !== null && characters > 0,
    })),
  };
}

export async function patchProject(
  deps: ProjectDeps,
  userId: string,
  id: string,
  patch: z.output<typeof ProjectPatch>,
): Promise<ProjectDetail> {
  if (!(await deps.store.projects.get(userId, id))) throw notFound("project");
  const files = patch.files && (await ownFiles(deps, userId, id, patch.files));
  const added = await ownFiles(deps, userId, id, patch.addFiles ?? [], "addFiles");
  const removed = new Set(patch.removeFiles);
  const change = (before: ProjectFields) =>
    toFields({
      name: patch.name ?? before.name,
      instructions: patch.instructions ?? before.instructions,
      files: atMost(
        [...new Set([...(files ?? before.files), ...added])].filter((each) => !removed.has(each)),
      ),
      // null takes back, undefined leaves as it is.
      assistant: patch.assistant === undefined ? before.assistant : patch.assistant,
      servers: patch.servers === undefined ? before.servers : patch.servers,
    });
  const changed = await deps.store.projects.update(userId, id, change, projectQuota);
  if (!changed) throw full();
  await deps.files.delete(changed.dropped);
  return readProject(deps, userId, id);
}

/** At most so many conversations go with a project in one request. */
const maxPages = 100;

/**
 * Its files go with it, and its conversations stay in no project or go one by one before it. A run that is under way goes on
 * with what it was told at its beginning.
 */
export async function removeProject(
  deps: ProjectDeps,
  userId: string,
  id: string,
  { conversations }: z.output<typeof ProjectDeletion>,
): Promise<void> {
  const { store, files } = deps;
  if (!(await store.projects.get(userId, id))) throw notFound("project");
  if (conversations === "delete") await deleteConversations(deps, userId, id);
  const deleted = await store.projects.delete(userId, id, conversations === "keep" ? "keep" : "none");
  if (!deleted)
    throw new HttpError(
      409,
      "not_empty",
      "This project has conversations: say with ?conversations=keep or ?conversations=delete what becomes of them.",
    );
  await files.delete(deleted.dropped);
}

async function deleteConversations(deps: ProjectDeps, userId: string, projectId: string): Promise<void> {
  for (let page = 0; page < maxPages; page++) {
    const { items } = await deps.store.conversations.list(userId, { limit: 100, projectId });
    if (items.length === 0) return;
    for (const { id } of items)
      await deleteConversation(deps, userId, id).catch((cause) => {
        // Somebody else was first.
        if (!(cause instanceof HttpError && cause.status === 404)) throw cause;
      });
  }
}

const full = () =>
  new HttpError(
    400,
    "too_many",
    "At most 200 projects with 2 MB together are kept, files apart; delete one, or shorten its instructions.",
  );

function atMost(files: string[]): string[] {
  if (files.length <= projectLimits.files) return files;
  throw new HttpError(400, "too_many", "addFiles: a project has at most 50 files; remove one first.");
}

/** As a body or a patch says them: null and undefined are not there. */
type Told = Omit<ProjectFields, "servers" | "assistant"> & {
  [Field in "servers" | "assistant"]?: ProjectFields[Field] | null | undefined;
};

const toFields = ({ name, instructions, assistant, files, servers }: Told): ProjectFields => ({
  name,
  instructions,
  ...(assistant && { assistant }),
  files,
  ...(servers && { servers: [...new Set(servers)] }),
});

const toItem = ({ userId: _, createdAt: __, counts, ...item }: ProjectListRow): ProjectItem => ({
  ...item,
  conversations: counts,
});
