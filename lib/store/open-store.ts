import { openAccounts } from "./accounts";
import { openApiTokens } from "./api-tokens";
import type { OnCommit } from "./append-queue";
import { openApprovals } from "./approvals";
import { openAssistants } from "./assistants";
import { openAttachments } from "./attachments";
import { openAudit } from "./audit";
import { BranchCache } from "./branch-cache";
import { tellOwner } from "./bus";
import { openConversations } from "./conversations";
import { deleteLogs } from "./delete-logs";
import { openDeletedPeople } from "./deleted-people";
import { openDocuments } from "./documents";
import type { Engine } from "./engine";
import type { StoreError } from "./errors";
import { openGatewaySessions } from "./gateway-sessions";
import { openHookDeliveries } from "./hook-deliveries";
import { deleteUnfinished, openImports } from "./imports";
import { openInvitations } from "./invitations";
import { openMatrices } from "./matrices";
import { openMessageQueue } from "./message-queue";
import { openMessages } from "./messages";
import { openOutlines } from "./outlines";
import { openLogPacker, type PackerOptions } from "./packing/log-packer";
import { openPasskeys } from "./passkeys";
import type { Store } from "./ports";
import type { PostgresOptions } from "./postgres-engine";
import { openProbe } from "./probe";
import { openProjects } from "./projects";
import { openPrompts } from "./prompts";
import type { RedisOptions } from "./redis-bus";
import { openRotation } from "./rotate";
import { openRunLog } from "./run-log";
import { openRuns } from "./runs";
import { openSchedules } from "./schedules";
import { openSearch } from "./search/search";
import { openSettings } from "./settings";
import { SettingsCache } from "./settings-cache";
import { openShares } from "./shares";
import { openSqliteEngine } from "./sqlite-engine";
import { openUsage } from "./usage";
import { openUsageDays } from "./usage-days";

export interface StoreOptions {
  /** Made when it is not there. One process at a time works on it. */
  dataDir: string;
  /** Of a PostgreSQL server: records, logs and attached files are there, and in the folder what belongs to this machine. */
  databaseUrl?: string | undefined;
  /** Beside other processes on the same server; by itself otherwise, which is a DatabaseInUseError where another one is. */
  isShared?: boolean | undefined;
  /** Refuses a database of a newer version even where this one can go on with it: for what has to know all that is there. */
  isExact?: boolean | undefined;
  /** With `databaseUrl`: carries hints between the processes in its place, as long as it answers. */
  redis?: RedisOptions | undefined;
  /** Told of rows that lists leave out because they cannot be read; a process warning otherwise. */
  onBrokenRow?: (error: StoreError) => void;
  /** Told of each statement on the records before it runs, for those who count them. */
  onStatement?: (sql: string) => void;
  /** Told of each commit of the log, for those who count them. */
  onCommit?: OnCommit | undefined;
  /** How the logs of ended runs are packed. */
  packer?: PackerOptions;
  /** Is given a line each few seconds while an older version's files are rewritten. */
  onProgress?: (line: string) => void;
}

/**
 * Opens the embedded database, or that of `databaseUrl`, after bringing it to the newest version; a newer one stays as it is. Throws
 * DataDirInUseError, DatabaseInUseError, or a StoreError `data_dir`, `newer_version`, `corrupt`, `disk_full` or, of a
 * server, `io`; their messages say the next step.
 */
export async function openStore({
  dataDir,
  databaseUrl,
  isShared,
  isExact,
  redis,
  onStatement,
  onProgress,
  ...options
}: StoreOptions): Promise<Store> {
  const engine =
    databaseUrl === undefined
      ? await openSqliteEngine(dataDir, { onStatement, isExact, ...(onProgress && { onProgress }) })
      : await openPostgres({ dataDir, url: databaseUrl, isShared, isExact, redis, onStatement });
  return openStoreOn(engine, options);
}

/** Loaded for those who ask for it. */
async function openPostgres(options: PostgresOptions): Promise<Engine> {
  const { openPostgresEngine } = await import("./postgres-engine");
  return openPostgresEngine(options);
}

/** The same on an engine that is open; closes it when it throws. */
export async function openStoreOn(
  engine: Engine,
  {
    onBrokenRow = warn,
    onCommit,
    packer: packing = {},
  }: Pick<StoreOptions, "onBrokenRow" | "onCommit" | "packer"> = {},
): Promise<Store> {
  const { records } = engine;
  const packer = openLogPacker(engine, { onFault: warn, ...packing });
  const plainLog = openRunLog(engine, onCommit);
  const log: typeof plainLog = {
    ...plainLog,
    async delete(runIds) {
      await plainLog.delete(runIds);
      packer.tidy();
    },
  };
  const tell = (userId: string) => tellOwner(engine.bus, userId, "conversations");
  const deliveryListeners = new Set<() => void>();
  const tellDeliveries = () => {
    for (const listener of deliveryListeners) listener();
  };
  const runs = openRuns(engine, { onBrokenRow, tell, tellDeliveries });
  const settings = new SettingsCache(openSettings(records));
  engine.bus.onChange((change) => settings.noteChange(change));
  const branches = new BranchCache(records);
  const imports = openImports(records, log, engine.members);
  const accounts = openAccounts(records);
  const deletedPeople = openDeletedPeople(records, engine.dialect);
  let closing: Promise<void> | undefined;
  const store: Store = {
    members: engine.members,
    bus: engine.bus,
    conversations: openConversations(records, log, { branches, tell }),
    messages: openMessages(records, { branches, tell }),
    runs: {
      ...runs,
      async finish(id, end, messages) {
        await runs.finish(id, end, messages);
        engine.bus.publish(`run:${id}`, "end");
        packer.add(id);
      },
    },
    commands: engine.commands,
    leases: engine.leases,
    log,
    approvals: openApprovals(records),
    documents: openDocuments(records),
    shares: openShares(records),
    settings,
    attachments: openAttachments(records),
    blobs: engine.blobs,
    assistants: openAssistants(records),
    projects: openProjects(records, tell),
    queue: openMessageQueue(records),
    prompts: openPrompts(records),
    gatewaySessions: openGatewaySessions(records),
    hookDeliveries: openHookDeliveries(records, {
      tell: tellDeliveries,
      listen(listener) {
        deliveryListeners.add(listener);
        return () => void deliveryListeners.delete(listener);
      },
    }),
    matrices: openMatrices(records, onBrokenRow),
    schedules: openSchedules(records, onBrokenRow),
    outlines: openOutlines(records),
    imports: {
      ...imports,
      async write(rows, maxBytes) {
        const isWritten = await imports.write(rows, maxBytes);
        if (!isWritten) return false;
        for (const { row } of rows.flatMap(({ runs }) => runs)) packer.add(row.id);
        for (const userId of new Set(rows.map(({ conversation }) => conversation.userId))) tell(userId);
        return true;
      },
    },
    search: openSearch(records, engine.dialect),
    accounts: {
      ...accounts,
      link: (userId, identity) => accounts.link(userId, identity).finally(() => settings.forgetAll()),
    },
    invitations: openInvitations(records),
    audit: openAudit(records, engine.dialect),
    deletedPeople: {
      ...deletedPeople,
      deleteRest: (id) =>
        deletedPeople
          .deleteRest(id)
          .finally(() => settings.forgetAll())
          .finally(() => branches.forgetAll()),
    },
    tokens: openApiTokens(records),
    passkeys: openPasskeys(records),
    usageDays: openUsageDays(records),
    usage: openUsage(engine),
    rotate: (...args) =>
      openRotation(records)
        .rotate(...args)
        .finally(() => settings.forgetAll()),
    async empty() {
      try {
        await engine.empty();
      } finally {
        settings.forgetAll();
        branches.forgetAll();
        engine.bus.publish("everybody");
      }
    },
    sessions: engine.sessions,
    probe: openProbe(engine),
    close: () => (closing ??= packer.close().then(log.close).then(engine.close)),
  };
  try {
    await deleteLogs(records, log);
    await deleteUnfinished(records, log, engine.members);
    await engine.confirm();
  } catch (cause) {
    await store.close();
    throw cause;
  }
  return store;
}

const warn = (cause: unknown): void => process.emitWarning(cause instanceof Error ? cause : String(cause));
