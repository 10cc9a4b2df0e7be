import type { z } from "zod";
import type { AuditItem } from "@/lib/protocol/audit";
import type { Page } from "@/lib/protocol/http";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { AuditFileQuery, AuditQuery } from "@/lib/server/contract/audit";
import { answerFile, type Pieces } from "@/lib/server/transfer/file-answer";
import type { AuditFilter, AuditRow } from "@/lib/store/account-ports";

type AuditDeps = Pick<BaseDeps, "store" | "log">;
type FileDeps = AuditDeps & { files: Pick<AttachmentFiles, "exports"> };

/** Rows that a file reads at once. */
const batch = 500;

export async function listAudit(
  { store }: AuditDeps,
  { limit, cursor, ...filter }: z.output<typeof AuditQuery>,
): Promise<Page<AuditItem>> {
  const { items, nextCursor } = await store.audit.page({
    ...toFilter(filter),
    limit,
    ...(cursor && { cursor }),
  });
  return { items: items.map(toItem), nextCursor };
}

/** The same as a file for spreadsheets. */
export function auditFile(
  { store, log, files }: FileDeps,
  query: z.output<typeof AuditFileQuery>,
): Promise<Response> {
  const day = new Date().toISOString().slice(0, 10);
  return answerFile(
    { log, slots: files.exports },
    {
      name: `meguri-audit-${day}.csv`,
      type: "text/csv; charset=utf-8",
      pieces: toCsv({ store }, toFilter(query)),
    },
  );
}

async function* toCsv({ store }: Pick<AuditDeps, "store">, filter: AuditFilter): Pieces {
  // Without it spreadsheets take UTF-8 for something else.
  yield "\uFEFF";
  yield toLine(["at", "person", "personId", "action", "on", "from", "count"]);
  let cursor: string | undefined;
  do {
    const page = await store.audit.page({ ...filter, limit: batch, ...(cursor !== undefined && { cursor }) });
    for (const { at, name, userId, action, on, from, count } of page.items)
      yield toLine([new Date(at).toISOString(), name, userId, action, on, from, `${count}`]);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

const toLine = (cells: readonly (string | null)[]): string => `${cells.map(toCell).join(",")}\r\n`;

/** What begins like a formula would be one. */
function toCell(text: string | null): string {
  const safe = /^[=+\-@\t\r]/.test(text ?? "") ? `'${text}` : (text ?? "");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const toFilter = ({ person, group, days, q }: z.output<typeof AuditFileQuery>): AuditFilter => ({
  ...{ userId: person, group, words: q },
  since: days === undefined ? undefined : Date.now() - days * 24 * 3_600_000,
});

const toItem = ({ id, at, userId, name, action, on, from, count }: AuditRow): AuditItem => ({
  ...{ id, at: new Date(at).toISOString(), action, on, from, count },
  who: userId === null ? null : { id: userId, name: name ?? "" },
});
