import type { ContextChoice, ContextChoices } from "@/lib/protocol/context-choice";
import type { ChatMessage } from "@/lib/protocol/message";
import { type Left, leaveOut } from "./leave-out";
import type { ResultArchive } from "./with-result-reader";

/** A message of the history, and what the model reads of it. */
export interface SentMessage {
  stored: ChatMessage;
  sent: ChatMessage;
  /** A summary has replaced it, and it is sent again; what is pinned stays beside each newer summary too. */
  again?: "kept" | "pinned";
}

/**
 * Applies what a person has chosen for the messages of a conversation. Stored messages are known by identity, results and
 * files by their ids. The same message gives the same object each time, by which adapters know it again.
 */
export class ChosenContext {
  private readonly choices: ReadonlyMap<string, ContextChoice>;
  private readonly ids: ReadonlyMap<ChatMessage, string>;
  private readonly read = new Map<ChatMessage, ChatMessage>();
  private readonly restored = new Map<ChatMessage, ChatMessage>();

  constructor(choices: ContextChoices = {}, stored: readonly { id: string; message: ChatMessage }[] = []) {
    this.choices = new Map(Object.entries(choices));
    this.ids = new Map(this.isEmpty ? [] : stored.map(({ id, message }) => [message, id]));
  }

  /** Whether nothing was chosen. */
  get isEmpty(): boolean {
    return this.choices.size === 0;
  }

  isPinned(id: string): boolean {
    return this.choices.get(id) === "pinned";
  }

  choiceOf(id: string): ContextChoice | undefined {
    return this.choices.get(id);
  }

  /** The newest summary that counts, and where what it does not replace begins. */
  newestSummary(history: readonly ChatMessage[]): { at: number; start: number } | undefined {
    const at = history.findLastIndex((message) => message.role === "summary" && !this.isDropped(message));
    const summary = history[at];
    return summary?.role === "summary" ? { at, start: Math.max(0, at - summary.keep) } : undefined;
  }

  /**
   * As it is sent: the newest summary, what is sent again of the messages that it replaces, and all after those. `tail`: how many
   * these are, at the end.
   */
  apply(history: readonly ChatMessage[]): { messages: readonly SentMessage[]; tail: number } {
    const { at = -1, start = 0 } = this.newestSummary(history) ?? {};
    const summary = history[at];
    const tail = history
      .slice(start)
      .flatMap((stored) => (stored.role === "summary" ? [] : { stored, sent: this.asRead(stored) }));
    const again = this.sentAgain(history.slice(0, start), summary && this.ids.get(summary));
    const first = summary ? [{ stored: summary, sent: summary }] : [];
    return { messages: [...first, ...again, ...tail], tail: tail.length };
  }

  /** Puts what the model reads less of where it can read it again. */
  keepLeftOut(archive: ResultArchive, messages: readonly SentMessage[]): void {
    if (this.isEmpty) return;
    for (const { stored, sent } of messages) {
      if (stored === sent) continue;
      if (stored.role === "tool" && sent.role === "tool") {
        const left = stored.results.filter((result, at) => result !== sent.results[at]);
        archive.keep(
          [stored],
          left.map(({ id }) => id),
        );
      } else if (stored.role === "user" || stored.role === "assistant") {
        const texts = stored.parts.filter((part) => part.type === "text");
        archive.add(this.ids.get(stored) ?? "", texts);
        for (const part of stored.parts) {
          const file = part.type === "file" ? (part.attachmentId ?? part.id) : undefined;
          if (part.type === "file" && file !== undefined) archive.add(file, [part]);
        }
      }
    }
  }

  private isDropped(message: ChatMessage): boolean {
    return this.choices.get(this.ids.get(message) ?? "") === "dropped";
  }

  /** Of what a summary replaces. A round is one thing: calls are never sent without their results. */
  private sentAgain(replaced: readonly ChatMessage[], summary: string | undefined): SentMessage[] {
    if (this.isEmpty) return [];
    const isWanted = (id: string): boolean => {
      const choice = this.choices.get(id);
      return choice === "pinned" || (isBeside(choice) && choice.beside === summary);
    };
    return roundsOf(replaced).flatMap((round) => {
      const wanted = round.flatMap((message) => this.idsIn(message).filter(isWanted));
      const again = wanted.some((id) => this.isPinned(id)) ? "pinned" : "kept";
      return wanted.length === 0
        ? []
        : round.map((stored) => ({ stored, sent: this.asRestored(stored, isWanted), again }));
    });
  }

  /** The ids under which something can be chosen for a message or for a part of it. */
  private idsIn(message: ChatMessage): string[] {
    if (message.role === "tool") return message.results.map(({ id }) => id);
    const files =
      message.role === "user"
        ? message.parts.flatMap((part) => (part.type === "file" ? (part.attachmentId ?? part.id ?? []) : []))
        : [];
    return [this.ids.get(message) ?? [], files].flat();
  }

  private asRead(message: ChatMessage): ChatMessage {
    const id = this.ids.get(message);
    // What the run itself has written nobody has chosen for yet; its rounds still grow.
    if (id === undefined) return message;
    const known = this.read.get(message);
    if (known) return known;
    const read = leaveOut(message, id, (part) => this.leftOf(part));
    this.read.set(message, read);
    return read;
  }

  /** What nobody asked for in a round that is sent again is a stand-in. */
  private asRestored(message: ChatMessage, isWanted: (id: string) => boolean): ChatMessage {
    const known = this.restored.get(message);
    if (known) return known;
    const id = this.ids.get(message) ?? "";
    const restored = leaveOut(message, id, (part) => (isWanted(part) ? undefined : "dropped"));
    this.restored.set(message, restored);
    return restored;
  }

  private leftOf(id: string): Left | undefined {
    const choice = this.choices.get(id);
    return choice === undefined || choice === "pinned" || isBeside(choice) ? undefined : choice;
  }
}

const isBeside = (choice: ContextChoice | undefined): choice is { beside: string } =>
  typeof choice === "object" && "beside" in choice;

/** An assistant message and the results that follow it are one; every other message is alone. */
function roundsOf(messages: readonly ChatMessage[]): ChatMessage[][] {
  const rounds: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === "summary") continue;
    const last = rounds.at(-1);
    if (message.role === "tool" && last && last[0]?.role !== "user") last.push(message);
    else rounds.push([message]);
  }
  return rounds;
}
