import type { z } from "zod";
import type { Page } from "@/lib/protocol/http";
import { type Prompt, type PromptFields, variablesOf } from "@/lib/protocol/prompts";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { PromptBody, PromptPatch, PromptQuery } from "@/lib/server/contract/prompts";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import type { PromptRow } from "@/lib/store/kept-types";

type PromptDeps = Pick<BaseDeps, "store">;

/** A list of all of them is read whole by the page. */
const quota = { count: 200, bytes: 2_000_000 };

export async function listPrompts(
  { store }: PromptDeps,
  userId: string,
  { limit, cursor, name }: z.output<typeof PromptQuery>,
): Promise<Page<Prompt>> {
  const page = await store.prompts.list(userId, { limit, ...(cursor && { cursor }), ...(name && { name }) });
  return { items: page.items.map(toItem), nextCursor: page.nextCursor };
}

export async function addPrompt(
  { store }: PromptDeps,
  userId: string,
  fields: z.output<typeof PromptBody>,
): Promise<Prompt> {
  const row: PromptRow = { id: newId(), userId, createdAt: Date.now(), ...fields };
  if (!(await store.prompts.add(row, quota))) throw full();
  return toItem(row);
}

export async function patchPrompt(
  { store }: PromptDeps,
  userId: string,
  id: string,
  { name, text }: z.output<typeof PromptPatch>,
): Promise<Prompt> {
  const change = (before: PromptFields): PromptFields => ({
    name: name ?? before.name,
    text: text ?? before.text,
  });
  if (!(await store.prompts.update(userId, id, change, quota))) throw full();
  const row = await store.prompts.get(userId, id);
  if (!row) throw notFound("prompt");
  return toItem(row);
}

export async function removePrompt({ store }: PromptDeps, userId: string, id: string): Promise<void> {
  if (!(await store.prompts.delete(userId, id))) throw notFound("prompt");
}

const full = () =>
  new HttpError(
    400,
    "too_many",
    "At most 200 prompts with 2 MB together are kept; delete one, or shorten its text.",
  );

const toItem = ({ id, name, text }: PromptRow): Prompt => ({ id, name, text, variables: variablesOf(text) });
