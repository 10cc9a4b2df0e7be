import type { Pins } from "./definitions/pins";
import type { PoolTuning } from "./mcp-pool";
import type { PoolView } from "./pool-view";
import type { PersonRegistry } from "./servers/person-registry";
import { Presence } from "./servers/presence";

const idleMs = 60 * 60_000;
const defaultMax = 500;

/** One person's connections. */
export interface PersonParts {
  view: PoolView;
  servers: PersonRegistry;
  pins: Pins;
}

interface Own extends PersonParts {
  presence: Presence;
}

/** The connections of people who are there, or were within the last hour. */
export class People {
  /** The longest unused first. */
  private readonly people = new Map<string, Own>();
  /** Connections that are ending, by person; of one who came back meanwhile the later ones. */
  private readonly ending = new Map<string, Promise<void>>();

  constructor(
    /** `ended`: when nothing of their former connections is left. */
    private readonly open: (
      person: string,
      presence: Presence,
      ended: Promise<void> | undefined,
    ) => PersonParts,
    private readonly tuning: Pick<PoolTuning, "personIdleMs" | "personAwayMs" | "maxPeople">,
  ) {}

  get(person: string): PersonParts | undefined {
    return this.people.get(person);
  }

  all(): Iterable<readonly [string, PersonParts]> {
    return this.people;
  }

  /** The person is there now. */
  use(person: string): Own {
    const own = this.people.get(person) ?? this.make(person);
    this.people.delete(person);
    this.people.set(person, own);
    own.presence.touch();
    this.keepToLimit(person);
    return own;
  }

  async drop(person: string): Promise<void> {
    const own = this.people.get(person);
    // Whoever waits for the end of all waits for what has begun to end before, too.
    const before = this.ending.get(person);
    if (!own) return before;
    this.people.delete(person);
    own.presence.end();
    own.pins.close();
    const ended = Promise.all([before, own.servers.close()]).then(() => own.pins.saved());
    this.ending.set(person, ended);
    await ended.finally(() => {
      if (this.ending.get(person) === ended) this.ending.delete(person);
    });
  }

  /** Resolves when nothing is left to be stored; connections are ended by who closes all. */
  async close(): Promise<void> {
    const own = [...this.people.values()];
    for (const { presence, pins } of own) {
      presence.end();
      pins.close();
    }
    await Promise.all([...own.map(({ pins }) => pins.saved()), ...this.ending.values()]);
  }

  private make(person: string): Own {
    const presence = new Presence({
      idleMs: this.tuning.personIdleMs ?? idleMs,
      awayMs: this.tuning.personAwayMs,
      onIdle: () => this.onIdle(person),
    });
    return { ...this.open(person, presence, this.ending.get(person)), presence };
  }

  private onIdle(person: string): void {
    const own = this.people.get(person);
    // A call may go on after its run, as while a question of its server waits for an answer.
    if (own && isUsed(own)) own.presence.touch();
    else this.letGo(person);
  }

  private keepToLimit(newest: string): void {
    const over = this.people.size - (this.tuning.maxPeople ?? defaultMax);
    if (over <= 0) return;
    const free = [...this.people].filter(([person, own]) => person !== newest && !isUsed(own));
    for (const [person] of free.slice(0, over)) this.letGo(person);
  }

  private letGo(person: string): void {
    // Nobody waits for it: what a connection cannot end by itself is cut with the process.
    this.drop(person).catch(() => {});
  }
}

const isUsed = ({ presence, servers }: Own): boolean =>
  presence.inUse || servers.own().some(({ sleepCycle }) => sleepCycle.inUse);
