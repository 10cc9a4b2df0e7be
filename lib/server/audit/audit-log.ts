import type { BlockList } from "node:net";
import type { Account } from "@/lib/protocol/accounts";
import { type AuditAction, auditDays } from "@/lib/protocol/audit";
import type { BaseDeps } from "@/lib/server/base-deps";
import { addressOf } from "@/lib/server/http/peer";
import { newId } from "@/lib/server/ids";
import type { AuditRow } from "@/lib/store/account-ports";

/** What was done. `on`: name or id of what it was done to; never what somebody has written. */
export interface Did {
  action: AuditAction;
  on?: string | null | undefined;
}

/** Of those who have signed in, or try to. */
type Who = (Pick<Account, "id" | "name"> & { token?: { name: string } | null }) | null;

const dayMs = 24 * 3_600_000;
/** What is told of at once where it is refused again and again. */
const windowMs = 10 * 60_000;
/** Addresses that are told of by name within a window; a stranger may try any number of them. */
const maxNamed = 20;
const maxOn = 200;

/** Writes down who did what, before it is answered. */
export class AuditLog {
  /** What was refused within this window and is not written yet, by what the row says. */
  private refused = new Map<string, AuditRow>();
  private windowEnd: NodeJS.Timeout | undefined;
  private trimmedAt = 0;

  constructor(
    private readonly deps: Pick<BaseDeps, "store" | "log">,
    private readonly trusted: BlockList,
  ) {}

  /** It is done already, so that a fault of the store is logged and nothing else. */
  async note(who: Who, { action, on = null }: Did, headers: Headers): Promise<void> {
    await this.write(this.toRow(who, { action, on }, headers));
    await this.trim();
  }

  /** The first is written at once, what follows within ten minutes as one row each with their number. */
  async noteRefused(on: string, headers: Headers): Promise<void> {
    const row = this.toRow(null, { action: "signIn.refused", on }, headers);
    const key = JSON.stringify([row.on, row.from]);
    const known = this.refused.get(key);
    if (known) known.count += 1;
    else if (this.refused.size < maxNamed) {
      this.refused.set(key, { ...row, count: 0 });
      await this.write(row);
    } else {
      const others = this.refused.get("") ?? { ...row, on: null, from: null, count: 0 };
      others.count += 1;
      this.refused.set("", others);
    }
    this.windowEnd ??= setTimeout(() => void this.flush(), windowMs).unref();
  }

  /** Writes what has been counted. */
  async flush(): Promise<void> {
    clearTimeout(this.windowEnd);
    this.windowEnd = undefined;
    const rows = [...this.refused.values()].filter(({ count }) => count > 0);
    this.refused = new Map();
    for (const row of rows) await this.write({ ...row, id: newId(), at: Date.now() });
    await this.trim();
  }

  private toRow(who: Who, { action, on = null }: Did, headers: Headers): AuditRow {
    const at = Date.now();
    const from = addressOf(headers, this.trusted);
    return {
      ...{ id: newId(), at, userId: who?.id ?? null, name: who && nameOf(who), action },
      ...{ on: on === null ? null : [...on].slice(0, maxOn).join(""), from, count: 1 },
    };
  }

  private async write(row: AuditRow): Promise<void> {
    await this.deps.store.audit
      .append(row)
      .catch((err) => this.deps.log.error({ err, action: row.action }, "the audit log has a gap"));
  }

  /** Once a day: what is older than it is kept goes. */
  private async trim(): Promise<void> {
    const now = Date.now();
    if (now - this.trimmedAt < dayMs) return;
    this.trimmedAt = now;
    await this.deps.store.audit
      .deleteBefore(now - auditDays * dayMs)
      .catch((err) => this.deps.log.warn({ err }, "old rows of the audit log were not deleted"));
  }
}

/** With the API token, where it was one of their programs. */
const nameOf = ({ name, token }: NonNullable<Who>) => (token ? `${name}, ${token.name}` : name);
