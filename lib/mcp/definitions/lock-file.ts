import { z } from "zod";
import { sortNames } from "@/lib/protocol/canonical-json";

/** A definition that was accepted: by a person, or because it was listed first. */
export interface Accepted {
  hash: string;
  definition: unknown;
  /** ISO; null in a file that was written before dates were kept. */
  acceptedAt: string | null;
}

/** What is known of one tool. */
export interface Pin {
  accepted: Accepted | null;
  /** Accepted before, newest first. */
  history: readonly Accepted[];
  /** Hash of a definition that a person has blocked. */
  blocked: string | null;
}

/** Pins by server and tool; a server with an empty map has been listed too. */
export type Lock = Map<string, Map<string, Pin>>;

const version = 2;

const date = z.iso.datetime().nullable().catch(null).default(null);
const accepted = z.object({ hash: z.string(), definition: z.unknown(), acceptedAt: date });
const pinSchema = z.object({
  hash: z.string().optional(),
  definition: z.unknown().optional(),
  acceptedAt: date,
  history: z.array(accepted).default([]),
  blocked: z.string().nullable().default(null),
});
/** Not `z.record`, which leaves out a tool that is called `__proto__`. */
const pinsSchema = z
  .custom<object>((value) => typeof value === "object" && value !== null && !Array.isArray(value))
  .transform(
    (pins) => new Map(Object.entries(pins).map(([tool, pin]) => [tool, toPin(pinSchema.parse(pin))])),
  );
/** Version 1 had only `hash` and `definition`, and reads as a file without dates. */
const fileSchema = z.object({
  version: z.int().max(version, "it was written by a newer Meguri").default(1),
  servers: z.record(z.string(), pinsSchema),
});

/** Throws for a text that is not a lock file. */
export function readLock(text: string): Lock {
  return new Map(Object.entries(fileSchema.parse(JSON.parse(text)).servers));
}

function toPin({ hash, definition, acceptedAt, ...rest }: z.output<typeof pinSchema>): Pin {
  return { accepted: hash === undefined ? null : { hash, definition, acceptedAt }, ...rest };
}

/** The same pins give the same text, in whatever order they came, so that a change is a change of few lines. */
export function writeLock(lock: Lock): string {
  const toFile = ({ accepted, history, blocked }: Pin) => ({
    ...(accepted && withoutNull(accepted)),
    ...(history.length > 0 && { history: history.map(withoutNull) }),
    ...(blocked && { blocked }),
  });
  const servers = [...lock].map(([server, pins]) => [
    server,
    Object.fromEntries([...pins].map(([tool, pin]) => [tool, toFile(pin)])),
  ]);
  return `${JSON.stringify({ version, servers: sortNames(Object.fromEntries(servers)) }, null, 2)}\n`;
}

const withoutNull = ({ acceptedAt, ...rest }: Accepted) => (acceptedAt ? { ...rest, acceptedAt } : rest);
