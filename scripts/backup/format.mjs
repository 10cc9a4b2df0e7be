import { createHash } from "node:crypto";
import yauzl from "yauzl";
import { z } from "zod";

/** A backup is a zip: `data/…`, which is the DATA_DIR that comes of it, then the list of its parts. */
export const formatVersion = 1;
export const manifestName = "manifest.json";
export const prefix = "data/";
/** The comment of the zip, which is at its very end, says what the list has to be. */
export const commentOf = (hash) => `meguri backup ${hash}`;

export const databases = /** @type {const} */ ([
  { name: "meguri.db", area: "records" },
  { name: "run-log.db", area: "log" },
]);

export const Manifest = z.object({
  meguri: z.literal("backup"),
  version: z.number(),
  app: z.string(),
  createdAt: z.string(),
  schema: z.object({ records: z.number(), log: z.number() }),
  /** The oldest version whose programs go on with each; that of `schema` where it is not said. */
  compatibleFrom: z.object({ records: z.number(), log: z.number() }).optional(),
  /** Whether the secret that seals keys and sign-ins is in it, was left out, or is in the environment alone. */
  secret: z.enum(["included", "left out", "environment"]),
  parts: z.array(z.object({ name: z.string(), size: z.number(), sha256: z.string() })),
});

/** Whether a name stays in its folder on every system. */
export const isSafeName = (name) =>
  name.split("/").every((part) => part !== "" && part !== "." && part !== "..") &&
  !/\p{Cc}/u.test(name) &&
  yauzl.validateFileName(name) === null;

/** Passes the bytes on; `result` then says their number and SHA-256. */
export function hashed(pieces) {
  const hash = createHash("sha256");
  let size = 0;
  return {
    async *[Symbol.asyncIterator]() {
      for await (const piece of pieces) {
        hash.update(piece);
        size += piece.length;
        yield piece;
      }
    },
    result: () => ({ size, sha256: hash.digest("hex") }),
  };
}
