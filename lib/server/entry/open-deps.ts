import { join } from "node:path";
import { pino } from "pino";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import { createMcpPool } from "@/lib/mcp/pool";
import type { Accounts } from "@/lib/server/accounts/accounts";
import { ApiTokens } from "@/lib/server/accounts/api-tokens";
import type { ForgetServers, StopWork } from "@/lib/server/accounts/auth";
import type { VouchingDeps } from "@/lib/server/accounts/oidc-sign-in";
import { Limits } from "@/lib/server/accounts/person-limits";
import { Roles } from "@/lib/server/accounts/roles";
import { SessionEnds } from "@/lib/server/accounts/session-ends";
import { stopWork } from "@/lib/server/accounts/stop-work";
import { AgentFolderWatch } from "@/lib/server/agents/agent-folder-watch";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import type { BaseDeps } from "@/lib/server/base-deps";
import { askWaiting } from "@/lib/server/conversations/ask-waiting";
import { RetentionJob } from "@/lib/server/conversations/retention";
import { DiskRoom } from "@/lib/server/disk-room";
import { readEndpointEnv } from "@/lib/server/endpoint-env";
import { checkShared, type Env, readEnv, reservedEnv, StartError } from "@/lib/server/env";
import { Exchanges } from "@/lib/server/gateway/exchanges";
import { Places } from "@/lib/server/gateway/places";
import { HintLines } from "@/lib/server/http/hint-lines";
import { Sessions } from "@/lib/server/http/sessions";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { LiveRuns } from "@/lib/server/loop/live-runs";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { Matrices } from "@/lib/server/matrix/matrices";
import { Metrics } from "@/lib/server/metrics/metrics";
import { providerVariables, readProviderEnv } from "@/lib/server/provider-env";
import { Scheduler } from "@/lib/server/schedules/scheduler";
import { checkAppSecret, loadSecrets, settleRotation, sign } from "@/lib/server/secrets";
import { openLogins, peopleMemory } from "@/lib/server/servers/logins";
import { OwnEntries } from "@/lib/server/servers/own-entries";
import { forgetOwn } from "@/lib/server/servers/own-servers";
import { PeopleSecrets, ServerSecrets } from "@/lib/server/servers/server-secrets";
import { forgetServer } from "@/lib/server/servers/servers";
import { type LiveProviders, openLiveProviders } from "@/lib/server/settings/live-providers";
import type { SharedFolder } from "@/lib/server/shared-folder";
import { openTracing, type Tracing } from "@/lib/server/tracing";
import { ImportFolder } from "@/lib/server/transfer/import-folder";
import { version } from "@/lib/server/version";
import { tellOwner } from "@/lib/store/bus";
import { openStore } from "@/lib/store/open-store";
import { ChangeFollower } from "./change-follower";
import { Emptied } from "./emptied";
import { openFiles } from "./open-files";
import { openSharedFiles } from "./open-shared-files";
import { TemporaryChats } from "./temporary-chats";

/** Everything that lives as long as the process. This file is the only place that constructs adapters. */
export interface Deps extends BaseDeps {
  sessions: Sessions;
  /** Undefined with `AUTH=local`. */
  accounts: Accounts | undefined;
  tokens: ApiTokens;
  ends: SessionEnds;
  providers: LiveProviders;
  serverSecrets: ServerSecrets;
  /** Undefined with `AUTH=local`. */
  peopleSecrets: PeopleSecrets | undefined;
  /** Undefined with `AUTH=local`. */
  ownEntries: OwnEntries | undefined;
  forgetServers: ForgetServers;
  limits: Limits;
  inFlight: InFlightCalls;
  runs: LiveRuns;
  /** Those who are told what has changed. */
  hints: HintLines;
  /** By conversation, see `RunDeps`. */
  turns: KeyedMutex;
  /** Undefined where no collector is configured. */
  tracing: Tracing | undefined;
  exchanges: Exchanges;
  /** For calls of MCP clients. */
  places: Places;
  /** Undefined where nobody may ask for them. */
  metrics: Metrics | undefined;
  /** Of agents and of skills; undefined where no other instance has them. */
  agentFiles: SharedFolder | undefined;
  skillFiles: SharedFolder | undefined;
  agentFolder: AgentFolderWatch;
  /** Bytes of what is attached. */
  files: AttachmentFiles;
  /** Files that are being imported. */
  imports: ImportFolder;
  retention: RetentionJob;
  disk: DiskRoom;
  onRemoteRead: RunDeps["onRemoteRead"];
  askWaiting: RunDeps["askWaiting"];
  dayBudget: RunDeps["dayBudget"];
  sharedBudget: RunDeps["sharedBudget"];
  /** Begins the cells of matrices. */
  matrices: Matrices;
  /** Asks what is due. */
  scheduler: Scheduler;
  /** Conversations that are in memory alone. */
  temporary: TemporaryChats<Deps>;
  emptied: Emptied;
}

/** `scripts/application.mjs` prints it, and waits longer. */
const onProgress = (line: string): void => {
  (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.progress")] = line;
};

const openingFaults = new Set(["StoreError", "DataDirInUseError", "DatabaseInUseError"]);

/** What has another database has another secret: its instances do not hear those of this one. */
const redisOf = ({ REDIS_URL: url, APP_SECRET = "" }: Env) =>
  url === undefined ? undefined : { url, prefix: `meguri:${sign(APP_SECRET, "redis", "").slice(0, 16)}:` };

/** Opens the one set of adapters. */
export async function openDeps(): Promise<Deps> {
  const env = readEnv(process.env);
  checkShared(env);
  const providerEnv = readProviderEnv(process.env);
  const endpointEnv = readEndpointEnv(env.MEGURI_ENDPOINTS, process.env);
  const log = pino({ level: env.LOG_LEVEL, base: null });
  const metrics = await Metrics.open(env);
  const store = await openStore({
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    isShared: true,
    redis: redisOf(env),
    onProgress,
    onCommit: metrics?.onCommit,
  }).catch((cause: Error) => {
    throw openingFaults.has(cause.name) ? new StartError(cause.message) : cause;
  });
  const follower = new ChangeFollower(store.bus);
  // After the store: it makes the folder, and only its owner may write there.
  if (env.DATABASE_URL === undefined) await settleRotation(env.DATA_DIR, store);
  const secrets = loadSecrets(env.DATA_DIR, env);
  await checkAppSecret({ env, store, secrets }).catch(async (cause) => {
    await store.close();
    throw cause;
  });
  const limits = await Limits.open({ env, store });
  const files = await openFiles({ env, store, log }, (id) => limits.bytes(id), onProgress).catch(
    async (cause) => {
      await store.close();
      throw cause;
    },
  );
  const { folders, ...sharedFiles } = await openSharedFiles({ env, store, log }).catch(async (cause) => {
    await store.close();
    throw cause;
  });
  const imports = new ImportFolder(join(env.DATA_DIR, "imports"));
  await imports.clear();
  const providers = await openLiveProviders({ env, providerEnv, endpointEnv, store, secrets, log });
  // Servers that are in the operator's file at the very first start are approved; later ones ask.
  const serverSecrets = await ServerSecrets.open({ store, secrets, log });
  const peopleSecrets =
    env.AUTH === "accounts" ? await PeopleSecrets.open({ store, secrets, log }) : undefined;
  const ownEntries = env.AUTH === "accounts" ? await OwnEntries.open({ store, secrets }) : undefined;
  const roles = env.AUTH === "accounts" ? await Roles.open({ store }) : new Roles();
  let accounts: Accounts | undefined;
  const pool = createMcpPool({
    configPath: env.MCP_CONFIG,
    root: process.cwd(),
    dataDir: env.DATA_DIR,
    approvals: store.approvals,
    ...(env.DATABASE_URL !== undefined && { documents: { label: "PostgreSQL", ...store.documents } }),
    isManaged: env.MCP_CONFIG_MODE === "file",
    trustFile: !(await store.settings.get<boolean>("system", "started")),
    env: process.env,
    reservedEnv: [...reservedEnv, ...providerVariables, ...endpointEnv.variables],
    privateHosts: env.PRIVATE_HOSTS,
    privateHostsOfOwned: env.MEMBERS_PRIVATE_HOSTS,
    maxProcesses: env.MCP_MAX_PROCESSES,
    mayCall: () => store.members.holds(),
    ...(metrics && { onCalled: metrics.onCalled }),
    logins: openLogins({ env, store, secrets }),
    secrets: serverSecrets,
    ...(peopleSecrets &&
      ownEntries && {
        people: peopleMemory({ store, secrets }, peopleSecrets, ownEntries, {
          vouching: (person) => accounts?.oidc?.vouchingOf(person),
          role: (person) => roles.of(person),
          forgetOf: (person, name) => forgetOwn({ ...deps, pool: pool.of(person) }, person, name),
        }),
      }),
    onRemoved: (name) => forgetServer({ store }, name),
    version,
    log: (level, message, details) => log[level](details ?? {}, message),
  });
  await pool.start();
  // Only now: a start that failed before has approved nothing.
  await store.settings.set("system", "started", true);
  const turns = new KeyedMutex();
  const runs = new LiveRuns(
    env.MAX_RUNS,
    (run) => {
      limits.noteEnd(run.chain.budgetUsage.day);
      deps.matrices.noteEnd(run.row);
      // The list has said until now that it goes on.
      tellOwner(store.bus, run.row.userId, "conversations");
    },
    (userId) => limits.mostRuns(userId),
  );
  store.members.onLost(() => runs.giveUp());
  const hints = new HintLines({ bus: store.bus, pool });
  const exchanges = new Exchanges();
  const scheduler = new Scheduler(() => deps);
  metrics?.watch({ store, runs, hints, exchanges, scheduler });
  const ends = new SessionEnds();
  const forgetServers = async (userId: string) => {
    peopleSecrets?.drop(userId);
    ownEntries?.drop(userId);
    await pool.forgetPerson(userId);
  };
  accounts = await openAccounts({
    ...{ env, secrets, store, log, ends, roles, forgetServers },
    stopWork: (userId) => stopWork(deps, userId),
    takesVouching: () => pool.list().items.some(({ config }) => config.oauth?.grant === "id_jag"),
    onVouched: (userId) => pool.of(userId).signIns.vouched(),
  });
  const deps: Deps = {
    env: { ...env, ...folders },
    providerEnv,
    endpointEnv,
    secrets,
    sessions: new Sessions({ store, secrets }),
    accounts,
    tokens: new ApiTokens({ env, store, log, ends }),
    ends,
    log,
    store,
    providers,
    pool,
    serverSecrets,
    peopleSecrets,
    ownEntries,
    forgetServers,
    limits,
    inFlight: new InFlightCalls(),
    runs,
    hints,
    turns,
    ...sharedFiles,
    agentFolder: new AgentFolderWatch({ env: { ...env, ...folders } }),
    files,
    imports,
    retention: new RetentionJob({ env, store, files, runs, turns, forgetServers, limits, log }),
    disk: new DiskRoom(env.DATA_DIR, log),
    tracing: await openTracing(env),
    exchanges,
    places: new Places(Math.ceil(env.MAX_RUNS / 2)),
    metrics,
    onRemoteRead: metrics?.onRemoteRead,
    askWaiting: (ended, chainId) => askWaiting(deps, ended, chainId),
    dayBudget: (userId) => limits.dayBudget(userId),
    sharedBudget: (matrixId) => deps.matrices.sharedBudget(matrixId),
    matrices: new Matrices(() => deps),
    scheduler,
    temporary: new TemporaryChats(() => deps),
    emptied: await Emptied.open({ store }),
  };
  follower.start({
    ...deps,
    roles: accounts && roles,
    stopWork: (userId) => stopWork(deps, userId),
  });
  return deps;
}

/** Loaded where it is used: nobody else has to wait for it. */
async function openAccounts(
  deps: Pick<BaseDeps, "env" | "secrets" | "store" | "log"> & {
    ends: SessionEnds;
    roles: Roles;
    forgetServers: ForgetServers;
    stopWork: StopWork;
  } & VouchingDeps,
) {
  if (deps.env.AUTH === "local") return undefined;
  const { Accounts } = await import("@/lib/server/accounts/accounts");
  return Accounts.open(deps);
}
