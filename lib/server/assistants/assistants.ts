import type { z } from "zod";
import { type Assistant, type AssistantFields, iconOf } from "@/lib/protocol/assistants";
import type { Page } from "@/lib/protocol/http";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { AssistantBody, AssistantPatch } from "@/lib/server/contract/assistants";
import type { PageQuery } from "@/lib/server/contract/fields";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import type { AssistantRow } from "@/lib/store/kept-types";

type AssistantDeps = Pick<BaseDeps, "store">;

/** A list of all of them is read whole by the page. */
const quota = { count: 200, bytes: 2_000_000 };

export async function listAssistants(
  { store }: AssistantDeps,
  userId: string,
  { limit, cursor }: z.output<typeof PageQuery>,
): Promise<Page<Assistant>> {
  const page = await store.assistants.list(userId, { limit, ...(cursor && { cursor }) });
  return { items: page.items.map(toItem), nextCursor: page.nextCursor };
}

export async function addAssistant(
  { store }: AssistantDeps,
  userId: string,
  { icon, ...rest }: z.output<typeof AssistantBody>,
): Promise<Assistant> {
  const fields = toFields({ ...rest, icon: icon ?? iconOf(rest.name) });
  const row: AssistantRow = { id: newId(), userId, createdAt: Date.now(), ...fields };
  if (!(await store.assistants.add(row, quota))) throw full();
  return toItem(row);
}

export async function readAssistant(
  { store }: AssistantDeps,
  userId: string,
  id: string,
): Promise<Assistant> {
  const row = await store.assistants.get(userId, id);
  if (!row) throw notFound("assistant");
  return toItem(row);
}

export async function patchAssistant(
  deps: AssistantDeps,
  userId: string,
  id: string,
  patch: z.output<typeof AssistantPatch>,
): Promise<Assistant> {
  // null takes back, undefined leaves as it is.
  const next = <Value>(value: Value | null | undefined, before: Value) =>
    value === undefined ? before : value;
  const change = (before: AssistantFields) =>
    toFields({
      name: patch.name ?? before.name,
      icon: patch.icon ?? before.icon,
      description: patch.description ?? before.description,
      instructions: patch.instructions ?? before.instructions,
      model: next(patch.model, before.model),
      effort: next(patch.effort, before.effort),
      servers: next(patch.servers, before.servers),
      deferred: next(patch.deferred, before.deferred),
      agent: next(patch.agent, before.agent),
      examples: next(patch.examples, before.examples),
    });
  if (!(await deps.store.assistants.update(userId, id, change, quota))) throw full();
  return readAssistant(deps, userId, id);
}

/** Its conversations go on without it. */
export async function removeAssistant({ store }: AssistantDeps, userId: string, id: string): Promise<void> {
  if (!(await store.assistants.delete(userId, id))) throw notFound("assistant");
}

const full = () =>
  new HttpError(
    400,
    "too_many",
    "At most 200 assistants with 2 MB together are kept; delete one, or shorten its instructions.",
  );

/** As a body or a patch says them: null and undefined are not there. */
type Told = Pick<AssistantFields, "name" | "icon" | "description" | "instructions"> & {
  [Field in "model" | "effort" | "servers" | "deferred" | "agent" | "examples"]?:
    | AssistantFields[Field]
    | null
    | undefined;
};

function toFields({ model, effort, servers, deferred, agent, examples, ...rest }: Told): AssistantFields {
  return {
    ...rest,
    ...(model && { model }),
    ...(effort && { effort }),
    ...(servers && { servers: [...new Set(servers)] }),
    ...(deferred && { deferred }),
    ...(agent && { agent }),
    ...(examples && examples.length > 0 && { examples: [...new Set(examples)] }),
  };
}

const toItem = ({ userId: _, createdAt: __, ...item }: AssistantRow): Assistant => item;
