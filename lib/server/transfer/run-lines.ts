import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { isKnownKind } from "@/lib/protocol/chunk-kinds";
import type { FileEvent } from "@/lib/protocol/conversation-file";
import { type RunFileHeader, runFileVersion } from "@/lib/protocol/run-file";
import { HttpError } from "@/lib/server/http/errors";
import { depthOf, maxDepth } from "./own-file";
import { count, EventData, id, Message, text, time } from "./own-log-shape";
import { OwnRun } from "./own-shape";

/** A file of a run, checked. */
export interface RunFile {
  header: RunFileHeader;
  events: FileEvent[];
  /** Of everything but the versions and the title: the same run has the same, whoever has exported it. */
  hash: string;
}

/** Ids stand in addresses. */
const messageId = z.string().regex(/^[\w-]{1,64}$/, "must be letters, digits, - and _");

const Header = z
  .looseObject({
    meguri: z.literal("run"),
    version: z.int().positive(),
    app: text.max(100),
    conversation: z.looseObject({ id, title: text }),
    run: OwnRun.pick({ id: true, model: true, agent: true, continues: true, startedAt: true, options: true })
      .extend({ messageId, parentId: messageId })
      .loose(),
    history: z
      .array(
        z.looseObject({
          id: messageId,
          parentId: messageId.nullable(),
          createdAt: time,
          runId: id.optional(),
          model: text.max(300).optional(),
          message: Message,
        }),
      )
      .max(20_000),
    events: count,
  })
  .superRefine(({ run, history }, context) => {
    const wrong = (message: string, ...path: (string | number)[]) =>
      context.addIssue({ code: "custom", path, message });
    const gap = history.findIndex(({ parentId }, at) => parentId !== (history[at - 1]?.id ?? null));
    if (gap >= 0) wrong("must be the message before it", "history", gap, "parentId");
    if (new Set(history.map((one) => one.id)).size < history.length) wrong("names one twice", "history");
    if (history.at(-1)?.id !== run.parentId) wrong("must be the last message", "run", "parentId");
    const question = history.find((one) => one.id === run.messageId)?.message;
    if (question?.role !== "user") wrong("must be a question of the history", "run", "messageId");
  });

const Line = z.strictObject({ seq: z.int().positive(), at: time, data: EventData });

/**
 * The lines of a file, one after another: no more than the file itself and what is made of it is in memory. 400 where it is no
 * whole run (`invalid_file`, `cut_file`, `unknown_event`) or of a newer version (`newer_version`).
 */
export async function readRunLines(pieces: AsyncIterable<Uint8Array>): Promise<RunFile> {
  const hash = createHash("sha256");
  const events: FileEvent[] = [];
  let header: RunFileHeader | undefined;
  let number = 0;
  for await (const { line, isWhole } of linesOf(pieces)) {
    number++;
    const value = parse(line, number, isWhole);
    if (!header) {
      header = toHeader(value);
      hash.update(JSON.stringify([header.run, header.history, header.events]));
      continue;
    }
    if (events.length >= header.events)
      throw invalid(`line ${number}: the first line says that there are ${header.events} events.`);
    events.push(toEvent(value, number, events.length + 1));
    hash.update(line);
  }
  if (!header) throw invalid("The body is empty; send a file that GET /api/runs/:id/export gave.");
  if (events.length < header.events) throw cut(events.length, header.events);
  return { header, events, hash: hash.digest("hex") };
}

interface TextLine {
  line: string;
  /** It ends with a line break. */
  isWhole: boolean;
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<TextLine, void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let held: string[] = [];
  for await (const piece of pieces) {
    const [first = "", ...others] = decode(decoder, piece).split("\n");
    held.push(first);
    for (const next of others) {
      yield { line: held.join(""), isWhole: true };
      held = [next];
    }
    await nextTurn();
  }
  const last = held.join("") + decode(decoder);
  if (last !== "") yield { line: last, isWhole: false };
}

function decode(decoder: TextDecoder, piece?: Uint8Array): string {
  try {
    return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
  } catch {
    // At the end: in the middle of a letter.
    if (!piece) throw cut();
    throw invalid("The file is not valid UTF-8; export the run again.");
  }
}

function parse(line: string, number: number, isWhole: boolean): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    if (!isWhole && number > 1) throw cut();
    throw invalid(`line ${number}: is no JSON; choose a file that was exported from a run.`);
  }
  if (depthOf(value) > maxDepth) throw invalid(`line ${number}: is nested more than ${maxDepth} deep.`);
  for (const one of [value, (value as { data?: unknown } | null)?.data])
    if (typeof one === "object" && one !== null && Object.hasOwn(one, "__proto__"))
      throw invalid(`line ${number}: __proto__ is no field of it.`);
  return value;
}

function toHeader(value: unknown): RunFileHeader {
  const { meguri, version } = (value ?? {}) as { meguri?: unknown; version?: unknown };
  if (meguri !== "run")
    throw invalid('line 1: must begin with {"meguri":"run"; choose a file that was exported from a run.');
  if (typeof version === "number" && version > runFileVersion)
    throw new HttpError(
      400,
      "newer_version",
      "A newer version of Meguri has written this file. Update Meguri, then import it again.",
    );
  const [issue] = Header.safeParse(value).error?.issues ?? [];
  if (issue) throw invalid(`line 1: ${issue.path.join(".")}: ${issue.message}.`);
  return value as RunFileHeader;
}

function toEvent(value: unknown, number: number, seq: number): FileEvent {
  const type = (value as { data?: { type?: unknown } } | null)?.data?.type;
  if (typeof type === "string" && !isKnownKind(type))
    throw new HttpError(
      400,
      "unknown_event",
      `line ${number}: data.type: ${JSON.stringify(type.slice(0, 60))} is no kind of event that this version knows.`,
    );
  const [issue] = Line.safeParse(value).error?.issues ?? [];
  if (issue) throw invalid(`line ${number}: ${issue.path.join(".") || "event"}: ${issue.message}.`);
  const event = value as FileEvent;
  if (event.seq !== seq) throw invalid(`line ${number}: seq: must be ${seq}.`);
  return event;
}

const invalid = (message: string) => new HttpError(400, "invalid_file", message);

const cut = (found?: number, events?: number) =>
  new HttpError(
    400,
    "cut_file",
    found === undefined
      ? "The file ends in the middle of a line; export the run again."
      : `The file ends after event ${found} of ${events}; export the run again.`,
  );
