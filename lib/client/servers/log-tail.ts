import type { McpLogEvent, McpLogLine } from "@/lib/protocol/mcp-offers";

export interface TailLine extends McpLogLine {
  id: number;
}

/** Lines that are rendered together; a full block never changes again. */
export interface LogBlock {
  id: number;
  lines: readonly TailLine[];
}

/** The newest lines of a log, and how many arrived in all. */
export interface LogTail {
  blocks: readonly LogBlock[];
  count: number;
  /** Too many at once to be sent. */
  missed: number;
}

export interface LogFilter {
  sources: Readonly<Record<McpLogLine["source"], boolean>>;
  text: string;
}

const blockLines = 100;
const maxBlocks = 50;

export const emptyTail: LogTail = { blocks: [], count: 0, missed: 0 };

/** Appends the lines of one event and drops whole blocks from the start, so that 4,901 to 5,000 lines are kept. */
export function addLines(tail: LogTail, { lines, missed }: McpLogEvent): LogTail {
  if (lines.length === 0 && missed === 0) return tail;
  const blocks = [...tail.blocks];
  let { count } = tail;
  for (let at = 0; at < lines.length; ) {
    const last = blocks.at(-1);
    const open = last && last.lines.length < blockLines ? last : undefined;
    const piece = lines.slice(at, at + blockLines - (open?.lines.length ?? 0));
    const added = piece.map((line) => ({ ...line, id: count++ }));
    if (open) blocks[blocks.length - 1] = { id: open.id, lines: [...open.lines, ...added] };
    else blocks.push({ id: added[0]?.id ?? count, lines: added });
    at += piece.length;
  }
  return { blocks: blocks.slice(-maxBlocks), count, missed: tail.missed + missed };
}

export function filterLines(lines: readonly TailLine[], { sources, text }: LogFilter): readonly TailLine[] {
  const wanted = text.toLowerCase();
  return lines.filter((line) => sources[line.source] && line.text.toLowerCase().includes(wanted));
}

/** As text for the clipboard: each line with its time and source. */
export function writeTail({ blocks }: LogTail, filter: LogFilter): string {
  return blocks
    .flatMap(({ lines }) => filterLines(lines, filter))
    .map(({ at, source, text }) => `${at} ${source} ${text}\n`)
    .join("");
}
