import type { ContextChoices } from "@/lib/protocol/context-choice";
import { withoutInvisible } from "@/lib/protocol/show-invisible";
import { newId } from "@/lib/server/ids";
import { textOfQuestion, titleFrom } from "@/lib/server/title";
import type { Store } from "@/lib/store/ports";
import type { ConversationRow, MessageRow, RunRow } from "@/lib/store/types";
import type { ImportedConversation, ImportedMessage, ImportedRun } from "./imported";
import { leafOf } from "./order-tree";

const maxTitle = 200;
const maxModel = 200;

/** Ids of a file become rows: only one of our own form may be kept, as others could be an address of something else. */
const isOurs = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

/** For each id of a file the one that it gets here: its own where that is free. */
export class Ids {
  private readonly given = new Map<string, string>();
  private readonly once = new Set<string>();

  constructor(private readonly taken: ReadonlySet<string>) {}

  static async find(store: Store, userId: string, ids: readonly string[]): Promise<Ids> {
    return new Ids(await store.imports.taken(userId, [...new Set(ids.filter(isOurs))]));
  }

  isFree(id: string): boolean {
    return isOurs(id) && !this.taken.has(id);
  }

  /** What is one message's alone: of two that a file calls the same, the first has it. */
  takeOnce(id: string): string | null {
    if (!this.isFree(id) || this.once.has(id)) return null;
    this.once.add(id);
    return id;
  }

  /** The same each time. */
  of(id: string): string {
    const own = this.given.get(id) ?? (this.isFree(id) ? id : newId());
    this.given.set(id, own);
    return own;
  }

  /** What is here under this id is what the file means. */
  keep(id: string): void {
    this.given.set(id, id);
  }
}

/** What was chosen for parts of the context, under the ids that files get here; messages and calls keep theirs. */
export function withContextHere(imported: ImportedConversation, ids: Ids): ImportedConversation {
  const files = new Set(imported.files.map(({ id }) => id));
  const here = <Chosen extends { context?: ContextChoices }>(chosen: Chosen): Chosen => {
    if (!chosen.context) return chosen;
    const named = Object.entries(chosen.context).map(([id, choice]) => [
      files.has(id) ? ids.of(id) : id,
      choice,
    ]);
    return { ...chosen, context: Object.fromEntries(named) };
  };
  return {
    ...imported,
    ...(imported.choice && { choice: here(imported.choice) }),
    ...(imported.runs && {
      runs: imported.runs.map(({ row, events }) => ({ row: { ...row, options: here(row.options) }, events })),
    }),
  };
}

export function toConversationRow(
  imported: ImportedConversation,
  messages: readonly ImportedMessage[],
  told: Pick<ConversationRow, "id" | "userId">,
): ConversationRow {
  const { allowReads: _, ...choice } = imported.choice ?? {};
  const createdAt = toTime(imported.createdAt, Date.now());
  return {
    ...told,
    title: toTitle(imported.title, messages),
    leafId: leafOf(messages, imported.leafId),
    pinned: imported.pinned ?? false,
    archived: imported.archived ?? false,
    projectId: null,
    // That reading needs no question is what a person says here.
    ...(Object.keys(choice).length > 0 && { choice }),
    createdAt,
    updatedAt: Math.max(createdAt, toTime(imported.updatedAt, createdAt)),
  };
}

export function toTitle(title: string, messages: readonly ImportedMessage[]): string {
  const clean = withoutInvisible(title.slice(0, 10 * maxTitle))
    .replaceAll(/\s+/g, " ")
    .trim();
  if (clean !== "") return [...clean].slice(0, maxTitle).join("");
  const question = messages.find(({ message }) => message.role === "user")?.message;
  return titleFrom(question?.role === "user" ? textOfQuestion(question.parts).slice(0, 10 * maxTitle) : "");
}

export function toMessageRow(
  { message, ...imported }: ImportedMessage,
  conversation: ConversationRow,
  ids: Ids,
): MessageRow {
  const client = imported.clientMessageId;
  return {
    id: imported.id,
    conversationId: conversation.id,
    parentId: imported.parentId,
    message,
    runId: imported.runId === undefined ? null : ids.of(imported.runId),
    model: imported.model?.slice(0, maxModel) ?? null,
    clientMessageId: client === undefined ? null : ids.takeOnce(client),
    createdAt: toTime(imported.createdAt, conversation.createdAt),
  };
}

/**
 * Nothing that goes on elsewhere goes on here, what waits there for a person is not answered here, and no matrix comes along.
 * Whether something is recorded here is said here.
 */
export function toRunRow({ row }: ImportedRun, { id, userId }: ConversationRow, ids: Ids): RunRow {
  const isOpen = row.status === "running" || row.status === "waiting";
  const { matrix: _, recordWire: _wire, ...options } = row.options;
  const { forkedFrom, comparison, tape } = options;
  return {
    ...row,
    id: ids.of(row.id),
    conversationId: id,
    userId,
    status: isOpen ? "interrupted" : row.status,
    continues: row.continues === null ? null : ids.of(row.continues),
    options: {
      ...options,
      ...(forkedFrom && { forkedFrom: { ...forkedFrom, runId: ids.of(forkedFrom.runId) } }),
      ...(comparison && { comparison: ids.of(comparison) }),
      ...(tape && { tape: { ...tape, runId: ids.of(tape.runId) } }),
    },
  };
}

/** Epoch ms, not in the future: a list that is sorted by it has no other first. */
function toTime(value: number, otherwise: number): number {
  if (!Number.isFinite(value) || value <= 0) return otherwise;
  return Math.min(Math.round(value), Date.now());
}
