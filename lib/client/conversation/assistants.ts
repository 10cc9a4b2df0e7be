import { changesOf } from "@/lib/client/http/changes-of";
import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { Assistant, AssistantFields } from "@/lib/protocol/assistants";
import type { Page } from "@/lib/protocol/http";

const path = "/api/assistants";

const store = new LiveStore<Page<Assistant>>({
  name: "assistants",
  load: () => api<Page<Assistant>>(`${path}?limit=200`),
  pace: () => null,
});

/** All assistants, newest first. */
export function useAssistants(): Live<Page<Assistant>> {
  return useLive(store);
}

export const refreshAssistants = (): Promise<void> => store.refresh({ tell: true });

/** The assistant with this id; undefined when it was deleted, or is not known yet. */
export const findAssistant = (
  id: string | null | undefined,
  list: Page<Assistant> | undefined = store.snapshot().data,
): Assistant | undefined => list?.items.find((item) => item.id === id);

export const assistantsKnown = (): Promise<unknown> => store.known();

/** null takes back what an assistant need not have. */
export type AssistantPatch = { [Field in keyof AssistantFields]?: AssistantFields[Field] | null | undefined };

const act = changesOf(path, refreshAssistants);

/** Each updates every tab and throws `ApiError`. */
export const assistantActions = {
  add: (fields: AssistantPatch) => act<Assistant>("POST", "", withoutNull(fields)),
  change: (id: string, patch: AssistantPatch) => act<Assistant>("PATCH", `/${id}`, patch),
  remove: (id: string) => act<unknown>("DELETE", `/${id}`),
};

const withoutNull = (fields: AssistantPatch) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
