/** What a scripted model server does, one after the other; without a `finish` it ends well by itself. */
export type Step =
  | { type: "text" | "reasoning"; content: string; pieces: number; delayMs: number; signature?: string }
  /** Sent in one packet, so that they are parallel calls. */
  | { type: "calls"; calls: ScriptedCall[] }
  | { type: "usage"; input: number; output: number; cached?: number }
  /** The provider's own word: `STOP`, `SAFETY`; `stop`, `length`. */
  | { type: "finish"; reason: string }
  /** An HTTP error instead of a stream; only as the first step. */
  | { type: "fail"; status: number; message: string; headers?: Record<string, string>; body?: unknown }
  /** An error in the middle of the stream. */
  | { type: "fault"; status: number; message: string }
  | { type: "pause"; ms: number }
  /** Goes on when the test says so. */
  | { type: "until"; done: Promise<unknown> }
  /** Breaks the connection. */
  | { type: "cut" }
  /** Ends the stream properly, but without having said that the model is done. */
  | { type: "fade" }
  /** Says nothing more until the client has gone. */
  | { type: "hang" }
  /** Bytes as they are. */
  | { type: "raw"; bytes: string }
  /** The whole answer goes in one packet, wherever this stands. */
  | { type: "at_once" };

export interface ScriptedCall {
  name: string;
  args?: Record<string, unknown>;
  /** Instead of `args`: what the model wrote, JSON or not. */
  written?: string;
  /** Empty for a server that sends none. */
  id?: string;
  signature?: string;
}

/** Text, in as many pieces as wanted (default: one for each word), each after a delay. */
export const say = (
  content: string,
  { pieces = content.split(/(?<=\s)/).length, delayMs = 0, signature }: PieceOptions = {},
): Step => ({ type: "text", content, pieces, delayMs, ...(signature && { signature }) });

export const think = (content: string, { pieces = 1, delayMs = 0, signature }: PieceOptions = {}): Step => ({
  type: "reasoning",
  content,
  pieces,
  delayMs,
  ...(signature && { signature }),
});

export interface PieceOptions {
  pieces?: number;
  delayMs?: number;
  signature?: string;
}

export const callTools = (...calls: ScriptedCall[]): Step => ({ type: "calls", calls });
export const usage = (input: number, output: number, cached?: number): Step => ({
  type: "usage",
  input,
  output,
  ...(cached !== undefined && { cached }),
});
export const finish = (reason: string): Step => ({ type: "finish", reason });
export const fail = (
  status: number,
  message = `HTTP ${status}`,
  more: { headers?: Record<string, string>; body?: unknown } = {},
): Step => ({ type: "fail", status, message, ...more });
export const fault = (status: number, message: string): Step => ({ type: "fault", status, message });
export const until = (done: Promise<unknown>): Step => ({ type: "until", done });
export const cut: Step = { type: "cut" };
export const fade: Step = { type: "fade" };
export const hang: Step = { type: "hang" };
export const atOnce: Step = { type: "at_once" };
export const raw = (bytes: string): Step => ({ type: "raw", bytes });

/** A text in `count` pieces of about the same length; never splits a character. */
export function split(content: string, count: number): string[] {
  const words = content.split(/(?<=\s)/);
  const units = count > words.length ? [...content] : words;
  const size = Math.max(1, Math.ceil(units.length / Math.max(1, count)));
  const pieces: string[] = [];
  for (let at = 0; at < units.length; at += size) pieces.push(units.slice(at, at + size).join(""));
  return pieces;
}
