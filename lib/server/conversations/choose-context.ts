import type { z } from "zod";
import { ChosenContext } from "@/lib/agent/chosen-context";
import { type ContextChoice, maxContextChoices, mergeContext } from "@/lib/protocol/context-choice";
import type { LedgerPatch } from "@/lib/server/contract/conversations";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { MessageRow } from "@/lib/store/types";
import { findConversation } from "./conversations";

type Asked = z.output<typeof LedgerPatch>["items"][string];

/**
 * Leaves parts of what the model reads out, shortens or pins them, from the next run on. Changes nothing when one of them is
 * not there (400) or cannot be changed so.
 */
export function chooseContext(
  deps: RunDeps,
  userId: string,
  conversationId: string,
  { items }: z.output<typeof LedgerPatch>,
): Promise<void> {
  return deps.turns.run(conversationId, async () => {
    const { leafId, choice } = await findConversation(deps, userId, conversationId);
    const rows = leafId ? (await deps.store.messages.branch(conversationId, leafId)).rows : [];
    const parts = partsIn(rows, new ChosenContext(choice?.context, rows));
    const patch = Object.fromEntries(
      Object.entries(items).map(([id, state]) => [id, toChoice(id, state, parts.get(id))]),
    );
    const next = mergeContext(choice?.context, patch);
    if (Object.keys(next).length > maxContextChoices)
      throw new HttpError(
        400,
        "invalid_input",
        `items: a conversation can have ${maxContextChoices} parts that are not as they came; set others to kept first.`,
      );
    await deps.store.conversations.update(conversationId, { choice: { context: patch } });
  });
}

interface Part {
  kind: "message" | "result" | "file" | "summary";
  /** The summary that has replaced it. */
  replacedBy?: string;
}

/** What can be chosen for: system prompt and tools belong to every request, and are chosen elsewhere. */
function partsIn(rows: readonly MessageRow[], chosen: ChosenContext): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  const newest = chosen.newestSummary(rows.map(({ message }) => message));
  for (const [at, { id, message }] of rows.entries()) {
    const replacedBy = newest && at < newest.start ? rows[newest.at]?.id : undefined;
    const add = (part: string, kind: Part["kind"]) =>
      parts.set(part, { kind, ...(replacedBy !== undefined && { replacedBy }) });
    if (message.role === "summary") parts.set(id, { kind: "summary" });
    else if (message.role === "tool") for (const result of message.results) add(result.id, "result");
    else {
      add(id, "message");
      for (const part of message.parts)
        if (part.type === "file") add(part.attachmentId ?? part.id ?? "", "file");
    }
  }
  return parts;
}

/** Null where nothing has to be remembered. */
function toChoice(id: string, state: Asked, part: Part | undefined): ContextChoice | null {
  if (!part)
    throw new HttpError(
      400,
      "invalid_input",
      `items.${id}: is no message, result, file or summary of the current branch; GET of this address lists them.`,
    );
  if (part.kind === "summary" && state !== "kept" && state !== "dropped")
    throw new HttpError(400, "invalid_input", `items.${id}: a summary can be kept or dropped, nothing else.`);
  if (part.kind === "file" && typeof state === "object")
    throw new HttpError(
      400,
      "invalid_input",
      `items.${id}: a file can be kept, dropped or pinned, but not shortened.`,
    );
  if (state === "kept") return part.replacedBy === undefined ? null : { beside: part.replacedBy };
  // A summary stands for it already.
  return state === "dropped" && part.replacedBy !== undefined ? null : state;
}
