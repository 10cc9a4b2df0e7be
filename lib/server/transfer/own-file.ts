import { Readable } from "node:stream";
import {
  type ConversationFile,
  conversationFileVersion,
  type FileAttachment,
  type FileRun,
} from "@/lib/protocol/conversation-file";
import { HttpError } from "@/lib/server/http/errors";
import { hashContent, maxContent, maxPerRun } from "@/lib/server/loop/sent-requests";
import type { RunOptions, RunRow } from "@/lib/store/types";
import { endUnended } from "./end-unended";
import type { ExportFiles } from "./export-files";
import type { ImportedConversation, ImportedFile, ImportedRun } from "./imported";
import { OwnFile } from "./own-shape";
import { BrokenConversation } from "./shape";

/** What `liftData` has made of one. */
type OwnAttachment = Omit<FileAttachment, "data"> & { data?: string | [start: number, end: number] };

/** Objects and lists within each other: more than any that an export writes. */
export const maxDepth = 1_000;

/** A file of ours as every import has it. Throws where it is damaged (`BrokenConversation`), and 400 for one of a newer version. */
export function readOwnFile(value: unknown, entries: Partial<ExportFiles> = {}): ImportedConversation {
  const file = check(value);
  const { allowReads: _, ...choice } = { allowReads: undefined, ...file.choice };
  const runs = nameContents(checkRuns(file).map(toRun));
  const messages = file.messages.map(({ createdAt, ...message }) => ({
    ...message,
    createdAt: Date.parse(createdAt),
  }));
  return {
    source: "meguri",
    sourceId: file.id,
    title: file.title,
    createdAt: Date.parse(file.createdAt),
    updatedAt: Date.parse(file.updatedAt),
    pinned: file.pinned,
    archived: file.archived,
    ...(file.project !== null && { project: file.project }),
    choice,
    ...endUnended({ messages, leafId: file.leafId, runs }),
    files: file.files.map((one) => toFile(one, entries)),
    leftOut: file.waiting.length > 0 ? [{ what: "queued_message", count: file.waiting.length }] : [],
  };
}

type OwnConversation = Omit<ConversationFile, "files"> & { files: OwnAttachment[] };

function check(value: unknown): OwnConversation {
  if (depthOf(value) > maxDepth) throw new BrokenConversation(`It is nested more than ${maxDepth} deep.`);
  const version =
    typeof value === "object" && value !== null && "version" in value ? value.version : undefined;
  if (typeof version === "number" && version > conversationFileVersion)
    throw new HttpError(
      400,
      "newer_version",
      "A newer version of Meguri has written this file. Update Meguri, then import it again.",
    );
  const parsed = OwnFile.safeParse(value);
  const [issue] = parsed.error?.issues ?? [];
  if (issue) throw new BrokenConversation(`${issue.path.join(".")}: ${issue.message}`);
  // As it was sent: fields of a later version stay.
  return value as OwnConversation;
}

/** Each continues an earlier one, and its log has no gap: readers walk along both. */
function checkRuns({ runs }: OwnConversation): FileRun[] {
  const known = new Set<string>();
  for (const [at, { id, continues, events }] of runs.entries()) {
    if (known.has(id)) throw new BrokenConversation(`runs.${at}.id: is there twice.`);
    if (continues !== null && !known.has(continues))
      throw new BrokenConversation(`runs.${at}.continues: is no run before it.`);
    const gap = events.findIndex(({ seq }, index) => seq !== index + 1);
    if (gap >= 0) throw new BrokenConversation(`runs.${at}.events.${gap}.seq: must be ${gap + 1}.`);
    known.add(id);
  }
  return runs;
}

function toRun({ events, startedAt, endedAt, options, result, ...run }: FileRun): ImportedRun {
  return {
    row: {
      ...run,
      conversationId: "",
      userId: "",
      startedAt: Date.parse(startedAt),
      endedAt: endedAt === null ? null : Date.parse(endedAt),
      options: { ...(options as RunOptions), isImported: true },
      result: result as RunRow["result"],
    },
    events: events.map(({ seq, at, data }) => ({ seq, at: Date.parse(at), data })),
  };
}

/**
 * What models were sent is in a file where it is first named; here each run names what it needs. A content under a hash that is not its
 * own is left out: the runs of other conversations may name that hash. So is what a run of ours would not keep.
 */
export function nameContents(runs: ImportedRun[]): ImportedRun[] {
  const known = new Map<string, string>();
  return runs.map((run) => {
    const named = new Set<string>();
    let characters = 0;
    const events = run.events.map((event) => {
      if (event.data.type !== "request") return event;
      const { contents = {}, ...data } = event.data;
      for (const [hash, body] of Object.entries(contents))
        if ((hash === data.system || hash === data.tools) && isContent(hash, body)) known.set(hash, body);
      const found = [data.system, data.tools].flatMap((hash): [string, string][] => {
        const body = hash === null || named.has(hash) ? undefined : known.get(hash);
        if (hash === null || body === undefined || characters + body.length > maxPerRun) return [];
        if (hash === data.tools && !isShallow(body)) return [];
        characters += body.length;
        named.add(hash);
        return [[hash, body]];
      });
      return { ...event, data: found.length > 0 ? { ...data, contents: Object.fromEntries(found) } : data };
    });
    return { ...run, events };
  });
}

const isContent = (hash: string, body: string): boolean =>
  body.length <= maxContent && hashContent(body) === hash;

/** A list of tools is JSON in a text, where the depth of the file does not count it. */
function isShallow(body: string): boolean {
  try {
    return depthOf(JSON.parse(body)) <= maxDepth;
  } catch {
    return false;
  }
}

function toFile({ data, path, ...file }: OwnAttachment, entries: Partial<ExportFiles>): ImportedFile {
  const { id, name, mediaType, size, createdAt } = file;
  return {
    ...{ id, name, mediaType, size, createdAt: Date.parse(createdAt) },
    async open() {
      if (typeof data === "string") return Readable.from([Buffer.from(data, "base64")]);
      if (data) return entries.inside?.(...data);
      const entry = path === undefined ? undefined : entries.named?.(path);
      // Only the whole name counts: another file may end with the same one.
      return entry?.name === path ? entry?.open() : undefined;
    },
  };
}

export function depthOf(value: unknown): number {
  let depth = 0;
  for (let level = [value]; level.length > 0 && depth <= maxDepth; depth++)
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null
        ? Object.values(one).filter((inner) => typeof inner === "object")
        : [],
    );
  return depth;
}
