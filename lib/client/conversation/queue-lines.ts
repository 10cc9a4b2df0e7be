import type { QueuedWhen } from "@/lib/protocol/http";
import type { StoredFile } from "@/lib/protocol/message";
import type { QueueLine, QueueNews } from "./conversation-state";

/** How a message goes out while an answer is written or waited for; `stop` ends the answer and asks at once. */
export type SayHow = QueuedWhen | "stop";

export interface QueueChange {
  text?: string;
  when?: QueuedWhen;
  /** The line that it comes before; null: it is the last. */
  before?: string | null;
}

/** What a person has written and attached. */
export interface Written {
  text: string;
  files: readonly StoredFile[];
}

/** One that the server does not have yet. */
export function newLine(key: string, how: SayHow, { text, files }: Written): QueueLine {
  const attachments = files.map(({ attachmentId: id, name = "", mediaType: mimeType, size }) => ({
    ...{ id, name, mimeType, size },
  }));
  const when = how === "next_turn" ? "next_turn" : "after";
  const createdAt = new Date().toISOString();
  return {
    ...{ id: key, key, clientMessageId: key, text, attachments, when, createdAt },
    isSending: true,
    tooLate: false,
  };
}

/** What goes into the answer is first, each kind in its own order. */
export const inOrder = (lines: readonly QueueLine[]): QueueLine[] => [
  ...lines.filter(({ when }) => when === "next_turn"),
  ...lines.filter(({ when }) => when === "after"),
];

/** One that stops the answer is asked first. */
export function withNew(lines: readonly QueueLine[], line: QueueLine, how: SayHow): QueueLine[] {
  const at = how === "stop" ? lines.findIndex(({ when }) => when === "after") : -1;
  return inOrder(lines.toSpliced(at < 0 ? lines.length : at, 0, line));
}

export function withChange(
  lines: readonly QueueLine[],
  line: QueueLine,
  { before, ...fields }: QueueChange,
): QueueLine[] {
  const changed = { ...line, ...fields, tooLate: line.tooLate && fields.when === undefined };
  const rest = lines.filter((each) => each !== line);
  const at = before === undefined ? lines.indexOf(line) : rest.findIndex((each) => each.id === before);
  return inOrder(rest.toSpliced(at < 0 ? rest.length : at, 0, changed));
}

/** The line as it was, in the place of what it has become since. */
export function putBack(lines: readonly QueueLine[], line: QueueLine): QueueLine[] {
  const at = lines.findIndex(({ id }) => id === line.id);
  return inOrder(at < 0 ? [...lines, line] : lines.with(at, line));
}

/** What to say of a change. */
export function newsOf(
  { when, before }: QueueChange,
  lines: readonly QueueLine[],
  id: string,
): QueueNews | null {
  if (when) return { kind: when };
  if (before === undefined) return null;
  const movable = lines.filter((line) => line.when === "after");
  return { kind: "moved", place: movable.findIndex((line) => line.id === id) + 1, count: movable.length };
}
