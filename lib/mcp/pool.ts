import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type ApprovalRule, approvalRule } from "@/lib/mcp/config/approval-rule";
import { Entries } from "@/lib/mcp/entries/entries";
import { RemovedServers } from "@/lib/mcp/entries/removed-servers";
import { ServerFile } from "@/lib/mcp/entries/server-file";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { ChangeNotifier } from "./change-notifier";
import { PersonalPins } from "./definitions/personal-pins";
import { Pins } from "./definitions/pins";
import { type KeptPlaces, keptPlaces } from "./kept-places";
import type { McpPool, PeopleMemory, PoolOptions, PoolTuning } from "./mcp-pool";
import { People, type PersonParts } from "./people";
import { secretPlace, secretsFor } from "./person-secrets";
import { type PoolCore, PoolView } from "./pool-view";
import type { ServerSetup } from "./servers/managed-server";
import { OpenLimits } from "./servers/open-limits";
import { PersonRegistry } from "./servers/person-registry";
import type { Presence } from "./servers/presence";
import { ProcessLimit } from "./servers/process-limit";
import { ServerRegistry } from "./servers/server-registry";
import { personFolder } from "./servers/work-folder";
import { TakenNames } from "./taken-names";

/** Child processes are killed after 2 s; a request that is still open after this is abandoned. */
const closeMs = 4_500;

const defaultTimes = {
  timeoutMs: 20_000,
  installMs: 5 * 60_000,
  installNoticeMs: 5_000,
  backoffMs: 500,
  idleMs: 15 * 60_000,
};
const defaultProcesses = 32;

export function createMcpPool(options: PoolOptions, tuning: PoolTuning = {}): McpPool {
  return new Core({ ...options, dataDir: options.dataDir ?? join(options.root, "data") }, tuning).everybody;
}

/** The file, what is shared, and what each person has of their own. */
class Core implements PoolCore {
  readonly entries: Entries;
  readonly file: ServerFile;
  readonly everybody: McpPool;
  private readonly pins: Pins;
  private readonly kept: KeptPlaces;
  private readonly rule: ApprovalRule;
  private readonly removed: RemovedServers;
  private readonly servers: ServerRegistry;
  private readonly setup: Omit<ServerSetup, "acceptedTools" | "onListed">;
  private readonly openLimits = new OpenLimits();
  private readonly people: People | undefined;
  private readonly taken: TakenNames | undefined;
  readonly notifier = new ChangeNotifier((cause) =>
    this.options.log("error", "A listener of the MCP pool failed.", { cause: String(cause) }),
  );

  constructor(
    private readonly options: PoolOptions & { dataDir: string },
    readonly tuning: PoolTuning,
  ) {
    const { documents, root, maxProcesses = defaultProcesses, log } = options;
    this.rule = approvalRule(root, documents !== undefined);
    this.kept = keptPlaces(options, {
      look: () => this.entries.readApprovals(),
      pinned: () => this.onServersChanged(),
    });
    this.entries = new Entries(options, (isOurs) => this.apply(isOurs), {
      document: this.kept.document,
      rule: this.rule,
      lookup: tuning.guard?.lookup,
    });
    this.pins = new Pins(this.kept.lock);
    this.setup = {
      ...defaultTimes,
      ...tuning,
      ...options,
      processLimit: new ProcessLimit(maxProcesses),
      privateHostsOf: (name, url, signal) => this.entries.reach.privateHosts(name, url, signal),
      report: (level, message) => log(level, message),
      isPersonal: (config) => this.isPersonal(config),
      rule: this.rule,
      ...(documents && { reasonOff }),
      onChange: () => this.onServersChanged(),
    };
    this.servers = new ServerRegistry({ ...this.setup, ...pinning(this.pins) });
    this.removed = new RemovedServers(this.entries, (name) => this.forget(name));
    this.file = new ServerFile(this.entries, this.servers, {
      whenForgotten: () => this.removed.whenForgotten(),
      onApproved: () => this.configure(),
    });
    const { people } = options;
    this.taken = people && new TakenNames(this.entries, people);
    this.people = people && new People((...of) => this.open(people, ...of), tuning);
    this.everybody = new PoolView(this, { servers: this.servers, pins: this.pins, options });
  }

  async start(): Promise<void> {
    await this.pins.load();
    await this.entries.start();
    this.removed.find();
    this.taken?.look();
    this.kept.changes?.start();
  }

  async lookForChanges(): Promise<void> {
    await this.kept.changes?.look();
  }

  /** A remote server is asked as the person who is there; a local one is a process that all share, unless its entry says otherwise. */
  isPersonal({ url, scope }: McpServerConfig): boolean {
    return this.options.people !== undefined && (url !== undefined || scope === "user");
  }

  secretPlace(config: McpServerConfig): string | undefined {
    if (!this.isPersonal(config)) return undefined;
    const { env, reservedEnv: reserved, root, dataDir } = this.options;
    return secretPlace(config, this.rule, { env, reserved, root, dataDir });
  }

  of(person: string): McpPool | undefined {
    return person === "" ? this.everybody : this.people?.use(person).view;
  }

  hold(person: string): () => void {
    const own = person === "" ? undefined : this.people?.use(person);
    return own?.presence.begin() ?? (() => {});
  }

  async drop(person: string): Promise<void> {
    await this.people?.drop(person);
  }

  async forgetPerson(person: string): Promise<void> {
    await this.drop(person);
    this.taken?.look();
    const folder = personFolder(this.options.dataDir, person);
    await Promise.all([
      this.kept.personal.delete(person),
      rm(folder, { recursive: true, force: true, maxRetries: 3 }),
    ]);
  }

  registryOf(person: string | undefined): ServerRegistry | undefined {
    return person === undefined ? this.servers : this.people?.get(person)?.servers;
  }

  *ofPeople(): Iterable<readonly [string, ServerRegistry]> {
    for (const [person, { servers }] of this.people?.all() ?? []) yield [person, servers];
  }

  clearLogs(): void {
    for (const registry of this.registries()) for (const { log } of registry.all()) log.clear();
  }

  async close(): Promise<void> {
    this.kept.changes?.stop();
    this.entries.stop();
    this.pins.close();
    this.notifier.stop();
    const closing = Promise.all(this.registries().map((registry) => registry.close()));
    await Promise.race([closing, wait(closeMs, undefined, { ref: false })]);
    await Promise.all([this.pins.saved(), this.people?.close()]);
  }

  onServersChanged(person?: string): void {
    for (const registry of this.registries()) registry.invalidate();
    this.notifier.notify(person);
  }

  private registries(): ServerRegistry[] {
    return [this.servers, ...[...this.ofPeople()].map(([, servers]) => servers)];
  }

  private open(
    people: PeopleMemory,
    person: string,
    presence: Presence,
    ended: Promise<void> | undefined,
  ): PersonParts {
    const { logins } = this.options;
    const isPersonal = (name: string) => servers.get(name)?.scope === "user";
    const onChange = () => this.onServersChanged(person);
    const place = this.kept.personal.placeOf(person, onChange);
    const pins = new PersonalPins(place, { ofAll: this.pins, isPersonal });
    // Until they are there nothing counts as accepted, and what is met waits for them.
    pins.load()?.catch((cause) =>
      this.options.log("warn", "What a person has accepted of MCP servers cannot be read now.", {
        cause: String(cause),
      }),
    );
    const placeOf = (name: string) => this.secretPlace(servers.get(name)?.config ?? {});
    const secrets = secretsFor({
      own: people.secrets(person),
      shared: this.options.secrets,
      placeOf,
    });
    const own = { memory: people.logins(person), vouching: people.vouching?.(person) };
    const mine = { secrets, ...(logins && { logins: { ...logins, ...own } }) };
    const openLimitsOf = this.openLimits.ofPerson();
    const isOwned = (name: string) => servers.isOwned(name);
    const privateHostsOf: ServerSetup["privateHostsOf"] = async (name, ...to) =>
      // That somebody has added it is no reason to reach into the operator's network.
      isOwned(name) ? [...(this.options.privateHostsOfOwned ?? [])] : this.setup.privateHostsOf(name, ...to);
    const { acceptedTools, onListed: pinFirst } = pinning(pins);
    const onListed: ServerSetup["onListed"] = (server, connection) => {
      this.openLimits.onStarted(server.hash);
      return pinFirst(server, connection);
    };
    const parts = {
      ...mine,
      acceptedTools,
      onListed,
      onChange,
      person,
      presence,
      openLimitsOf,
      isOwned,
      privateHostsOf,
    };
    const of = { entries: () => people.servers(person), role: () => people.role(person) };
    const servers: PersonRegistry = new PersonRegistry(
      { ...this.setup, ...parts },
      this.servers,
      of,
      ended?.catch(() => {}),
    );
    const view = new PoolView(this, { servers, pins, options: { ...this.options, ...mine, person } });
    servers.apply(this.entries.servers, this.entries.approved);
    return { view, servers, pins };
  }

  applyOwn(person: string): void {
    this.applyOf(person);
    this.taken?.look();
  }

  async applyRole(person: string): Promise<void> {
    this.applyOf(person);
    await this.settleNames();
  }

  private applyOf(person: string): void {
    this.people?.get(person)?.servers.apply(this.entries.servers, this.entries.approved);
    this.onServersChanged(person);
  }

  /** What is kept of a removed server is deleted by the instance that has removed it: here it may be about the next one. */
  private apply(isOurs: boolean): void {
    const removed = this.removed.find();
    this.configure(isOurs);
    if (isOurs) this.removed.forget(removed);
  }

  private configure(isOurs = true): void {
    for (const registry of this.registries()) registry.apply(this.entries.servers, this.entries.approved);
    this.onServersChanged();
    if (isOurs) void this.settleNames();
    else this.taken?.look();
  }

  private async settleNames(): Promise<void> {
    await this.taken?.settle().catch((cause) =>
      this.options.log("error", "What was kept under the name of another MCP server was not forgotten.", {
        cause: String(cause),
      }),
    );
  }

  /** Deletes all that is kept under the name of a removed server; resolves after its process has ended too. */
  private async forget(name: string): Promise<void> {
    const { logins, secrets, people, onRemoved, log } = this.options;
    try {
      await Promise.all([this.entries.forget(name), onRemoved?.(name), secrets?.forget(name)]);
      await Promise.all(this.registries().map((registry) => registry.whenEnded(name)));
      await logins?.memory.delete(name);
      await this.pins.forget(name);
      await people?.forget(name);
      if (people) await this.kept.personal.forget(name, (person) => this.people?.get(person)?.pins);
    } catch (cause) {
      log("error", "A removed MCP server was not forgotten.", { name, cause: String(cause) });
      throw cause;
    }
  }
}

/** Two processes of a server that keeps something would each have a truth of their own, and nobody would be told. */
const reasonOff = (name: string, { url, perInstance }: McpServerConfig) =>
  url === undefined && !perInstance
    ? {
        code: "per_instance",
        message: `${name} is off: each instance would run a process of it, with data of its own. Offer it over HTTP, or set "perInstance": true in its entry if that does no harm.`,
        final: true,
      }
    : undefined;

const pinning = (pins: Pins): Pick<ServerSetup, "acceptedTools" | "onListed"> => ({
  acceptedTools: (name) => pins.acceptedTools(name),
  onListed: (server, connection) => pins.pinFirst(server.name, connection.tools),
});
