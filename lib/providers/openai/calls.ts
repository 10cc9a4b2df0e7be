import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall } from "@/lib/protocol/message";
import { newCallId } from "@/lib/providers/tools/call-id";
import {
  maxArguments,
  parseArguments,
  readArguments,
  refuseArguments,
} from "@/lib/providers/tools/parse-arguments";

/** What servers send of a call in one piece; each field may be missing or of another type. */
export interface CallDelta {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown } | null;
  /** Gemini, on its OpenAI-compatible side. */
  extra_content?: { google?: { thought_signature?: unknown } | null } | null;
}

interface OpenCall {
  /** Ours, made when the call begins. */
  id: ToolCallId;
  wireId: string | undefined;
  index: number | undefined;
  name: string | undefined;
  written: string;
  signature: string | undefined;
}

type Piece = Omit<OpenCall, "id">;
type WrittenInput = Extract<ModelChunk, { type: "tool_input" }>;

/** Puts the pieces of tool calls together, however a server labels them: index, id, name, or nothing at all. */
export class OpenAiCalls {
  private readonly calls: OpenCall[] = [];
  /** Characters of all their arguments. */
  size = 0;

  /** `key` marks the signatures as this provider's; `tell` takes the arguments as they are written. */
  constructor(
    private readonly key: string,
    private readonly tell: (written: WrittenInput) => void,
  ) {}

  add(delta: CallDelta): void {
    const piece = toPiece(delta);
    this.size += piece.written.length;
    const call = this.find(piece) ?? this.begin();
    const isNew = call.name === undefined;
    call.written += piece.written;
    if (this.isTooLarge) return;
    call.name ??= piece.name;
    call.wireId ??= piece.wireId;
    call.index ??= piece.index;
    call.signature ??= piece.signature;
    // A call cannot be announced before its name is known.
    const content = isNew ? call.written : piece.written;
    if (call.name !== undefined && (isNew || content))
      this.tell({ type: "tool_input", id: call.id, name: call.name, content });
  }

  /** More than is taken: which of the calls are whole is not known, so that none of them is. */
  get isTooLarge(): boolean {
    return this.size > maxArguments;
  }

  private begin(): OpenCall {
    if (this.calls.length >= maxCalls) throw new Error("Its tool calls have no end.");
    const call: OpenCall = { id: newCallId(), ...toPiece({}) };
    this.calls.push(call);
    return call;
  }

  /** The whole calls, in the order that the server gave them. */
  finish(): ToolCall[] {
    const calls = this.calls.filter(({ name, written }) => name !== undefined || written.trim());
    if (calls.every(({ index }) => index !== undefined))
      calls.sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
    return calls.map((call) => this.toCall(call));
  }

  private toCall({ id, name, written, signature }: OpenCall): ToolCall {
    if (name === undefined) throw new Error("It called a tool without a name.");
    return {
      type: "tool_call",
      id,
      name,
      ...(this.isTooLarge ? refuseArguments(written, "size") : readArguments(written)),
      ...(signature && { signature: `${this.key}:${signature}` }),
    };
  }

  /** The call that a piece continues; undefined when it begins one. */
  private find(piece: Piece): OpenCall | undefined {
    const { calls } = this;
    const { index, wireId, name } = piece;
    const there = index === undefined ? calls : calls.filter((call) => call.index === index);
    const byId = (among: OpenCall[]) => among.findLast((call) => call.wireId === wireId);
    if (name === undefined)
      return (
        (wireId && (byId(there) ?? (there.length === 0 && byId(calls)))) ||
        (there.at(-1) ?? calls.findLast((call) => call.index === undefined))
      );
    // Without an index only an id that comes again tells a repeated name from a second call of the same tool.
    const same =
      index === undefined
        ? there.findLast((call) => wireId !== undefined && call.wireId === wireId && call.name === name)
        : there.findLast((call) => (call.name ?? name) === name);
    return same && !begins(piece, same) ? same : undefined;
  }
}

/** Whether a named piece that looks like more of `call` is another one: some servers number all calls alike, others repeat the name with each piece. */
function begins({ wireId, written }: Piece, call: OpenCall): boolean {
  const isOther = wireId !== undefined && call.wireId !== undefined && wireId !== call.wireId;
  if (/^\s*[{[]/.test(written)) return isOther || isWhole(call.written);
  return isOther && isWhole(call.written);
}

function isWhole(written: string): boolean {
  return /[}\]]\s*$/.test(written) && parseArguments(written) !== undefined;
}

function toPiece({ index, id, function: called, extra_content }: CallDelta): Piece {
  const written = called?.arguments;
  return {
    index: typeof index === "number" ? index : undefined,
    wireId: named(id),
    name: named(called?.name),
    written: typeof written === "string" ? written : written ? JSON.stringify(written) : "",
    signature: named(extra_content?.google?.thought_signature),
  };
}

/** Some servers send an empty text where others send nothing. */
const named = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() ? value : undefined;

const maxCalls = 1_000;
