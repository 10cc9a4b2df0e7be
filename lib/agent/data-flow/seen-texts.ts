import { readResultTool } from "@/lib/agent/trim-results";
import type { Chunk, DataFlow } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolCall, ToolContent, ToolResult } from "@/lib/protocol/message";
import { KeptTexts } from "./kept-texts";
import { type Passage, shortestPassage } from "./passages";
import { formsOf } from "./text-forms";

/** Characters that are looked at: of the arguments of a call, and of all that servers and people have said before it. */
const maxLookedAt = 1 << 20;

/** Characters that are read at once: some milliseconds. */
const readAtOnce = 1 << 17;
/** As many characters take as long as what a step costs whatever it reads. */
const stepCost = 1 << 7;

/** The most that a question names. */
const maxFlows = 8;
const excerptLength = 80;

/** A tool of a server, or a person. */
interface Origin {
  server: string | undefined;
  tool: string;
}

const person: Origin = { server: undefined, tool: "" };

/**
 * What servers and people have said in a conversation; tells what the arguments of a call would carry from one server to
 * another. A fold of messages and chunks; nothing is read before a second server is called.
 */
export class SeenTexts {
  private readonly origins = new Map<string, Origin>();
  private readonly calls = new Map<ToolCallId, Origin>();
  private readonly known = new Set<ToolCallId>();
  private readonly servers = new Set<string>();
  private unread: { text: string; origin: Origin }[] = [];
  private reading: Generator<number, void> | undefined;
  private readonly kept = new KeptTexts<Origin>(maxLookedAt, ({ server }) => server);

  constructor(history: readonly ChatMessage[] = [], chunks: Iterable<Chunk> = []) {
    for (const message of history) this.addMessage(message);
    for (const chunk of chunks) this.add(chunk);
  }

  add(chunk: Chunk): void {
    if (chunk.type === "tool_call") this.addCall(chunk.call);
    else if (chunk.type === "tool_result") this.addResult(chunk.result);
    else if (chunk.type === "message") this.addMessage(chunk.message);
  }

  /**
   * Reads a part of what was added, where a call to this server needs it; returns whether there may be more. All of it at once
   * would keep the process from everybody else for too long.
   */
  readOn(server: string): boolean {
    if (!this.hasOther(server)) return false;
    this.reading ??= this.read();
    for (let left = readAtOnce; left > 0; ) {
      const step = this.reading.next();
      if (step.done) {
        this.reading = undefined;
        return false;
      }
      left -= step.value + stepCost;
    }
    return true;
  }

  /** What the arguments carry of results of other servers that neither a person nor this server has said; the most first. */
  findFlows(server: string, args: Record<string, unknown>): DataFlow[] {
    if (!this.hasOther(server)) return [];
    while (this.readOn(server));
    const flows = new Map<Origin, DataFlow>();
    let left = maxLookedAt;
    for (const [argument, value] of Object.entries(args))
      for (const text of formsOf(textOf(value).slice(0, Math.max(0, left)))) {
        left -= text.length;
        for (const { source, from, to } of this.findForeign(text, server)) {
          if (source.server === undefined) continue;
          const found = flows.get(source);
          if (found) found.characters += to - from;
          else
            flows.set(source, flowOf({ ...source, server: source.server }, argument, text.slice(from, to)));
        }
      }
    return [...flows.values()].toSorted((a, b) => b.characters - a.characters).slice(0, maxFlows);
  }

  private findForeign(text: string, server: string): Passage<Origin>[] {
    const passages = this.kept.find(text);
    const isOwn = ({ source }: Passage<Origin>) => source.server === undefined || source.server === server;
    const own = united(passages.filter(isOwn));
    return passages.filter((passage) => !isOwn(passage)).flatMap((passage) => partsBeside(passage, own));
  }

  addMessage(message: ChatMessage): void {
    switch (message.role) {
      case "user":
        for (const part of message.parts) if (part.type === "text") this.addText(part.text, person);
        return;
      case "assistant":
        for (const part of message.parts) if (part.type === "tool_call") this.addCall(part);
        return;
      case "tool":
        for (const result of message.results) this.addResult(result);
        return;
      case "summary":
        return;
    }
  }

  private addCall({ id, name, server, tool = name, args }: ToolCall): void {
    // What is read again is the result of the call that it names.
    const origin =
      name === readResultTool ? this.calls.get(args.id as ToolCallId) : server && this.originOf(server, tool);
    if (origin) this.calls.set(id, origin);
  }

  private originOf(server: string, tool: string): Origin {
    const key = JSON.stringify([server, tool]);
    const origin = this.origins.get(key) ?? { server, tool };
    this.origins.set(key, origin);
    return origin;
  }

  private addResult({ id, content, by, status, reason }: ToolResult): void {
    const origin = this.calls.get(id);
    // The log of a run has it, and the history that it leaves. With a reason the words are ours.
    if (!origin?.server || this.known.has(id) || reason !== undefined) return;
    this.known.add(id);
    const isOfPerson = by === "person" || status === "denied";
    if (!isOfPerson) this.servers.add(origin.server);
    for (const part of content) this.addText(said(part) ?? "", isOfPerson ? person : origin);
  }

  private addText(text: string, origin: Origin): void {
    if (text.length >= shortestPassage) this.unread.push({ text, origin });
  }

  /** Gives how many characters each step has looked at; ends when nothing is left, also of what was added meanwhile. */
  private *read(): Generator<number, void> {
    while (this.unread.length > 0) {
      const texts = this.unread;
      this.unread = [];
      for (const { text, origin } of texts) {
        const forms = formsOf(text.slice(0, maxLookedAt));
        yield text.length;
        for (const form of forms) yield* this.kept.add(form, origin);
      }
    }
  }

  private hasOther(server: string): boolean {
    return this.servers.size > (this.servers.has(server) ? 1 : 0);
  }
}

type Range = Pick<Passage<Origin>, "from" | "to">;

/** As ranges that do not touch, in order. */
function united(passages: readonly Range[]): Range[] {
  const ranges: Range[] = [];
  for (const { from, to } of passages.toSorted((a, b) => a.from - b.from)) {
    const last = ranges.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else ranges.push({ from, to });
  }
  return ranges;
}

/** What of a passage nobody else has said: the parts of it that are long enough beside these ranges. */
function partsBeside({ from, to, source }: Passage<Origin>, own: readonly Range[]): Passage<Origin>[] {
  const parts: Passage<Origin>[] = [];
  let at = from;
  for (let index = firstEndingBehind(own, from); index < own.length; index++) {
    const range = own[index];
    if (!range || range.from >= to) break;
    parts.push({ from: at, to: range.from, source });
    at = range.to;
  }
  parts.push({ from: at, to, source });
  return parts.filter((part) => part.to - part.from >= shortestPassage);
}

function firstEndingBehind(ranges: readonly Range[], at: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.to ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

function flowOf({ server, tool }: Origin & { server: string }, argument: string, text: string): DataFlow {
  return { server, tool, argument, characters: text.length, excerpt: text.slice(0, excerptLength) };
}

/** What a model reads of a result as words. */
function said(part: ToolContent): string | undefined {
  if (part.audience === "user") return undefined;
  switch (part.type) {
    case "text":
      return part.text;
    case "resource_link":
      return [part.uri, part.title ?? part.name, part.description].filter(Boolean).join("\n");
    case "file":
      return part.data !== undefined && part.mediaType.startsWith("text/")
        ? Buffer.from(part.data, "base64").toString("utf8")
        : undefined;
  }
}

/** The words in an argument that are long enough, apart from each other. */
function textOf(value: unknown): string {
  const words: string[] = [];
  const add = (one: unknown): void => {
    if (typeof one === "string") {
      if (one.length >= shortestPassage) words.push(one);
    } else if (typeof one === "object" && one !== null)
      for (const [name, member] of Object.entries(one)) {
        if (!Array.isArray(one)) add(name);
        add(member);
      }
  };
  add(value);
  return words.join("\0");
}
