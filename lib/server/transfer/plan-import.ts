import { createHash } from "node:crypto";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { KnownImport } from "@/lib/store/types";
import type { ImportedConversation, ImportedMessage } from "./imported";
import { orderTree } from "./order-tree";

/** More than any conversation that a person has had; what a page reads of it is bounded by pages. */
const maxMessages = 20_000;

/** What is to be done with a conversation of a file. */
export type ImportPlan =
  | { outcome: "imported"; hash: string; characters: number; messages: ImportedMessage[] }
  /** It is here as the file had it before: these messages are new. */
  | { outcome: "extended"; hash: string; characters: number; messages: ImportedMessage[]; known: KnownImport }
  | { outcome: "already_here" | "continued_since" | "changed_since"; known: KnownImport }
  | { outcome: "empty" | "too_large" };

/**
 * Compares a conversation with what is here of it. New messages are added where nobody has gone on here since; where somebody
 * has, or where the file says other things under known names, what is here is left alone.
 */
export async function planImport(
  { store }: Pick<BaseDeps, "store">,
  userId: string,
  imported: ImportedConversation,
): Promise<ImportPlan> {
  if (imported.messages.length > maxMessages) return { outcome: "too_large" };
  const messages = orderTree(imported.messages);
  if (messages.length === 0) return { outcome: "empty" };
  const { hash, characters } = hashOf(messages);
  const known = await store.imports.find(userId, imported.source, imported.sourceId);
  if (!known) return { outcome: "imported", hash, characters, messages };
  const added = messages.filter(({ id }) => !known.messageIds.has(id));
  const isContinued = known.messageIds.size > messages.length - added.length;
  if (isContinued) return { outcome: "continued_since", known };
  if (added.length > 0) return { outcome: "extended", hash, characters, messages: added, known };
  const isSame = known.hash === null || known.hash === hash;
  return { outcome: isSame ? "already_here" : "changed_since", known };
}

const withoutFiles = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && "attachmentId" in value ? value.attachmentId : value;

/** Of what was said, and how long it is; a title, a chosen branch, or which files lie beside the JSON may change without a message. */
function hashOf(messages: readonly ImportedMessage[]): { hash: string; characters: number } {
  const hash = createHash("sha256");
  let characters = 0;
  for (const { id, parentId, message } of messages) {
    const whole = JSON.stringify([id, parentId, message]);
    characters += whole.length;
    // Asking of each value what it is takes several times as long.
    const isPlain = !whole.includes('"attachmentId"');
    hash.update(isPlain ? whole : JSON.stringify([id, parentId, message], withoutFiles));
  }
  return { hash: hash.digest("hex"), characters };
}
