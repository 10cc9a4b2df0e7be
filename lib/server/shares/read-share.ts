import type { ShareSnapshot } from "@/lib/protocol/shares";
import type { BaseDeps } from "@/lib/server/base-deps";
import { hash } from "@/lib/server/secrets";
import type { ShareRow } from "@/lib/store/kept-types";
import { namesOfFiles } from "./shared-files";

export type SharedPage =
  | { status: "ok"; userId: string; snapshot: ShareSnapshot; expiresAt: string | null }
  | { status: "gone" }
  | { status: "unknown" };

/** What a stranger with this token sees. */
export async function readShare({ store }: Pick<BaseDeps, "store">, token: string): Promise<SharedPage> {
  const tokenHash = hash(token);
  if (await store.shares.hasEnded(tokenHash)) return { status: "gone" };
  const row = await store.shares.byToken(tokenHash);
  if (!row) return { status: "unknown" };
  if (isOver(row)) return { status: "gone" };
  await store.shares.countView(row.id);
  const expiresAt = row.expiresAt === null ? null : new Date(row.expiresAt).toISOString();
  return { status: "ok", userId: row.userId, snapshot: upgrade(row.snapshot), expiresAt };
}

/** The files that an open link shows by their ids, with their names as it shows them, and whose they are; undefined when it is no longer open. */
export async function sharedFiles(
  { store }: Pick<BaseDeps, "store">,
  token: string,
): Promise<{ userId: string; names: ReadonlyMap<string, string> } | undefined> {
  const tokenHash = hash(token);
  const row = await store.shares.byToken(tokenHash);
  if (!row || isOver(row) || (await store.shares.hasEnded(tokenHash))) return undefined;
  return { userId: row.userId, names: namesOfFiles(row.snapshot) };
}

const isOver = ({ revokedAt, expiresAt }: ShareRow) =>
  revokedAt !== null || (expiresAt !== null && expiresAt <= Date.now());

/** Frozen copies outlive versions: what one of them did not know yet is empty. */
const upgrade = (snapshot: ShareSnapshot): ShareSnapshot => ({
  ...snapshot,
  runs: snapshot.runs.map((run) => ({ ...run, answeredCalls: run.answeredCalls ?? [] })),
});
