import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import type { ImportSource } from "@/lib/protocol/imports";
import { ExportArchive } from "./export-archive";
import type { ExportFiles } from "./export-files";
import type { ImportedConversation } from "./imported";
import { fromBase64, liftData } from "./lift-data";
import { findReader } from "./readers";
import { BrokenConversation, parseJson } from "./shape";
import { BrokenJson, type JsonItem, splitJson } from "./split-json";
import { brokenArchive, brokenJson, unknownFormat } from "./unreadable";

const megabyte = 1024 * 1024;
/** Of the JSON of one conversation: what is in memory at a time is a few times as much. */
const limits = { bytes: 32 * megabyte, depth: 20_000 };
/** Of ours, which holds everything twice, as messages and as logs; its files are not counted. */
const ownLimits = { ...limits, bytes: 2 * limits.bytes };

/** What a file holds at one place. */
export type ExportItem =
  | { kind: "conversation"; conversation: ImportedConversation }
  | { kind: "broken" | "too_large"; title: string; source: ImportSource | undefined };

/** An export on the disk, whose conversations are read one by one. */
export interface OpenExport {
  items(): AsyncGenerator<ExportItem, void>;
  /** How many items there are, without reading them. */
  count(signal: AbortSignal): Promise<number>;
  /** Entries of an archive that are no conversations, and those whose names lead out of it. */
  others: { other_file: number; unsafe_name: number };
  close(): void;
}

/** Told apart by its content: a zip begins with `PK`. */
export async function openExport(path: string): Promise<OpenExport> {
  const isArchive = (await startOf(path, 2)) === "PK";
  if (isArchive) return openArchive(await ExportArchive.open(path));
  const read = (range: { start?: number; end?: number } = {}) =>
    createReadStream(path, { highWaterMark: 256 * 1024, ...range });
  const isOwn = ownStart.test(await startOf(path, 100));
  const source: Source = { read: async () => (isOwn ? liftData(read()) : read()), isOwn };
  const files: ExportFiles = {
    ...noFiles,
    inside: (start, end) => Readable.from(fromBase64(start < end ? read({ start, end: end - 1 }) : [])),
  };
  return {
    items: () => readItems([source], files),
    count: (signal) => countItems([source], signal),
    others: { other_file: 0, unsafe_name: 0 },
    close: () => {},
  };
}

const noFiles: ExportFiles = { named: () => undefined, withId: () => undefined };

/** How the JSON of a conversation of ours begins. */
const ownStart = /^(\xef\xbb\xbf)?\s*\{\s*"meguri"\s*:/;

interface Source {
  read(): Promise<AsyncIterable<Uint8Array>>;
  /** Of Meguri. */
  isOwn: boolean;
}

function openArchive(archive: ExportArchive): OpenExport {
  const isOwn = archive.names.includes("meguri.json");
  const names = isOwn ? ownNames(archive.names) : conversationNames(archive.names);
  const sources = names.map((name): Source => ({ read: () => archive.read(name), isOwn }));
  const documents = archive.names.filter((name) => /\.(json|html?)$/i.test(name));
  return {
    items: () => readItems(sources, archive),
    count: (signal) => countItems(sources, signal),
    others: { other_file: isOwn ? 0 : documents.length - names.length, unsafe_name: archive.unsafeNames },
    close: () => archive.close(),
  };
}

const ownNames = (names: readonly string[]): string[] =>
  names.filter((name) => /^conversations\/[^/]+\.json$/.test(name)).toSorted();

/** ChatGPT and Claude have `conversations.json`, large ones in parts; else each JSON is looked into. */
function conversationNames(names: readonly string[]): string[] {
  const json = names.filter((name) => /\.json$/i.test(name));
  const parts = json.filter((name) => /(^|\/)conversations([-_ ]?\d+)?\.json$/i.test(name));
  return (parts.length > 0 ? parts : json).toSorted();
}

async function* readItems(sources: readonly Source[], files: ExportFiles): AsyncGenerator<ExportItem, void> {
  let hasKnown = false;
  let source: ImportSource | undefined;
  for (const one of sources)
    for await (const element of split(one)) {
      const read = readItem(element, files, source);
      if (!read) continue;
      if (read.kind === "conversation") source = read.conversation.source;
      hasKnown ||= read.kind === "conversation" || read.source !== undefined;
      yield read;
    }
  if (!hasKnown) throw unknownFormat();
}

/** Undefined for what is no conversation of anybody, as other lists of an archive. */
function readItem(
  item: JsonItem,
  files: ExportFiles,
  last: ImportSource | undefined,
): ExportItem | undefined {
  if ("tooLarge" in item) return { kind: "too_large", title: titleIn(item.start), source: last };
  const value = parseJson(item.text);
  const reader = findReader(value);
  if (!reader) {
    const title = titleIn(item.text.slice(0, 2_000));
    return title === "" && value !== undefined ? undefined : { kind: "broken", title, source: last };
  }
  try {
    return { kind: "conversation", conversation: reader.read(value as Record<string, unknown>, files) };
  } catch (cause) {
    if (!(cause instanceof RangeError) && !(cause instanceof BrokenConversation)) throw cause;
    return { kind: "broken", title: titleIn(item.text.slice(0, 2_000)), source: reader.source };
  }
}

const titleIn = (text: string): string =>
  /"(?:title|name)"\s*:\s*"((?:[^"\\]|\\.){0,200})"/.exec(text)?.[1] ?? "";

async function countItems(sources: readonly Source[], signal: AbortSignal): Promise<number> {
  let count = 0;
  try {
    for (const source of sources)
      for await (const _ of split(source)) {
        signal.throwIfAborted();
        count++;
      }
  } catch (cause) {
    // What is wrong with the file is told when it is read.
    if (signal.aborted) throw cause;
  }
  return count;
}

async function* split(source: Source): AsyncGenerator<JsonItem, void> {
  try {
    yield* splitJson(await source.read(), source.isOwn ? ownLimits : limits);
  } catch (cause) {
    if (cause instanceof BrokenJson) throw brokenJson(cause);
    // zlib and yauzl say it in many ways.
    if (cause instanceof Error && cause.name !== "HttpError" && !("syscall" in cause)) throw brokenArchive();
    throw cause;
  }
}

/** As latin1. */
async function startOf(path: string, length: number): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead).toString("latin1");
  } finally {
    await file.close();
  }
}
