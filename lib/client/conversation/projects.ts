import { changesOf } from "@/lib/client/http/changes-of";
import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { Page } from "@/lib/protocol/http";
import type { ProjectDetail, ProjectFields, ProjectItem } from "@/lib/protocol/projects";

const path = "/api/projects";

const store = new LiveStore<Page<ProjectItem>>({
  name: "projects",
  hint: "conversations",
  load: () => api<Page<ProjectItem>>(`${path}?limit=200`),
  pace: () => null,
});

/** Each as its page shows it, as long as this tab is open; there are at most 200. */
const details = new Map<string, LiveStore<ProjectDetail>>();

/** All projects, newest first. */
export function useProjects(): Live<Page<ProjectItem>> {
  return useLive(store);
}

/** One project with what is known of its files. */
export function useProject(id: string): Live<ProjectDetail> {
  return useLive(detailOf(id));
}

/** The project with this id; undefined when it was deleted, or is not known yet. */
export const findProject = (
  id: string | null | undefined,
  list: Page<ProjectItem> | undefined = store.snapshot().data,
): ProjectItem | undefined => list?.items.find((item) => item.id === id);

export const projectsKnown = (): Promise<unknown> => store.known();

/** For when a conversation of a project has changed, or somebody tries again; who has none asks for nothing. */
export async function refreshProjects(): Promise<void> {
  const { data, error } = store.snapshot();
  if (error || data?.items.length) await store.refresh({ tell: true });
}

/** For when somebody tries again: a project that could not be loaded, and the list that it is in. */
export async function refreshProject(id: string): Promise<void> {
  await Promise.all([store.refresh(), detailOf(id).refresh()]);
}

/** null takes back what a project need not have. */
export type ProjectPatch = { [Field in keyof ProjectFields]?: ProjectFields[Field] | null | undefined } & {
  addFiles?: string[];
  removeFiles?: string[];
};

const act = changesOf(path, () => store.refresh({ tell: true }));

/** Each updates every tab and throws `ApiError`. */
export const projectActions = {
  add: (name: string) => act<ProjectDetail>("POST", "", { name }),
  async change(id: string, patch: ProjectPatch): Promise<void> {
    const detail = await act<ProjectDetail>("PATCH", `/${id}`, patch);
    detailOf(id).change(() => detail);
  },
  addFile: (id: string, file: string) => projectActions.change(id, { addFiles: [file] }),
  removeFile: (id: string, file: string) => projectActions.change(id, { removeFiles: [file] }),
  remove: (id: string, conversations: "keep" | "delete") =>
    act<unknown>("DELETE", `/${id}?conversations=${conversations}`),
};

function detailOf(id: string): LiveStore<ProjectDetail> {
  const known = details.get(id);
  if (known) return known;
  const made = new LiveStore<ProjectDetail>({
    // What one tab changes in the list, the others fetch.
    name: "projects",
    hint: "conversations",
    load: () => api<ProjectDetail>(`${path}/${encodeURIComponent(id)}`),
    pace: () => null,
  });
  details.set(id, made);
  return made;
}
