import { Kysely } from "kysely";
import { openApprovals } from "@/lib/store/approvals";
import { openDocuments } from "@/lib/store/documents";
import type { Documents, McpApprovals } from "@/lib/store/kept-ports";
import { postgresDialect } from "@/lib/store/postgres-dialect";
import { openPool } from "@/lib/store/postgres-pool";
import type { DB } from "@/lib/store/schema";

/** What one of several instances has of a database that they share, over sessions of its own. */
export interface Instance {
  documents: Documents;
  approvals: McpApprovals;
  close(): Promise<void>;
}

/** Beside others: without what makes a process the only one on its database. */
export function openInstance(url: string): Instance {
  const db = new Kysely<DB>({ dialect: postgresDialect(openPool(url)) });
  return { documents: openDocuments(db), approvals: openApprovals(db), close: () => db.destroy() };
}
