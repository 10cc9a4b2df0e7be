import { changesOf } from "@/lib/client/http/changes-of";
import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { Page } from "@/lib/protocol/http";
import type { Prompt, PromptFields } from "@/lib/protocol/prompts";

const path = "/api/prompts";

export const promptStore = new LiveStore<Page<Prompt>>({
  name: "own-prompts",
  load: () => api<Page<Prompt>>(`${path}?limit=200`),
  pace: () => null,
});

/** All prompts of the person, newest first. */
export const useOwnPrompts = (): Live<Page<Prompt>> => useLive(promptStore);
export const refreshOwnPrompts = (): Promise<void> => promptStore.refresh({ tell: true });

const act = changesOf(path, refreshOwnPrompts);

/** Each updates every tab and throws `ApiError`. */
export const promptActions = {
  add: (fields: PromptFields) => act<Prompt>("POST", "", fields),
  change: (id: string, fields: Partial<PromptFields>) => act<Prompt>("PATCH", `/${id}`, fields),
  remove: (id: string) => act<unknown>("DELETE", `/${id}`),
};
