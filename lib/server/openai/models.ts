import { listAgents } from "@/lib/server/agents/agents";
import type { ChatDeps } from "@/lib/server/conversations/chat";
import { noSuchModel } from "./errors";

const maxAssistants = 200;

interface OpenAiModel {
  /** What `model` of a request takes. */
  id: string;
  object: "model";
  /** Seconds since 1970; 0 where nobody knows. */
  created: number;
  owned_by: string;
  /** What people call it. */
  name: string;
}

/** `GET /v1/models`: the models that can be asked now, one's assistants, and the workflow agents. */
export async function listOpenAiModels(
  deps: ChatDeps,
  userId: string,
): Promise<{ object: "list"; data: OpenAiModel[] }> {
  const [models, assistants, agents] = await Promise.all([
    deps.providers.models(),
    deps.store.assistants.list(userId, { limit: maxAssistants }),
    listAgents(deps),
  ]);
  return {
    object: "list",
    data: [
      ...models
        .filter(({ reachable }) => reachable)
        .map(({ id, provider, name }) => toModel(id, { created: 0, owned_by: provider, name })),
      ...assistants.items.map(({ id, name, createdAt }) =>
        toModel(`assistant/${id}`, { created: seconds(createdAt), owned_by: "meguri", name }),
      ),
      ...agents.items.map(({ id, name }) =>
        toModel(`agent/${id}`, { created: 0, owned_by: "meguri", name: name.en }),
      ),
    ],
  };
}

/** `GET /v1/models/{id}`: one of them, or 404 `model_not_found`. */
export async function findOpenAiModel(deps: ChatDeps, userId: string, id: string): Promise<OpenAiModel> {
  const { data } = await listOpenAiModels(deps, userId);
  const found = data.find((model) => model.id === id);
  if (!found) throw noSuchModel(id);
  return found;
}

const toModel = (id: string, more: Pick<OpenAiModel, "created" | "owned_by" | "name">): OpenAiModel => ({
  ...{ id, object: "model" },
  ...more,
});

const seconds = (ms: number): number => Math.floor(ms / 1000);
