import type { Change } from "./bus";
import type { Settings } from "./kept-ports";

/** Characters of all values that are kept, as JSON, and of one of them. */
const maxTotal = 4_000_000;
const maxValue = 500_000;
/** A setting that is not there takes room as well. */
const leastLength = 100;

interface Kept {
  value: unknown;
  length: number;
}

/**
 * Settings that were read are kept in memory, those that are not there too; the ones read longest ago give way. What is
 * kept is frozen, as all readers get the same. A change through this port is seen by every read that begins after it;
 * one by another process when it is told of it.
 */
export class SettingsCache implements Settings {
  private readonly kept = new Map<string, Kept>();
  private total = 0;
  /** How many changes there were: a read that began before one may bring the value from before it. */
  private changes = 0;

  constructor(private readonly stored: Settings) {}

  async get<Value>(userId: string, key: string): Promise<Value | undefined> {
    const name = nameOf(userId, key);
    const known = this.kept.get(name);
    if (known) {
      this.kept.delete(name);
      this.kept.set(name, known);
      return known.value as Value | undefined;
    }
    const before = this.changes;
    const value = freeze(await this.stored.get<Value>(userId, key));
    if (before === this.changes) this.keep(name, value);
    return value;
  }

  reread<Value>(userId: string, key: string): Promise<Value | undefined> {
    this.forget(userId, key);
    return this.get(userId, key);
  }

  set(userId: string, key: string, value: unknown): Promise<void> {
    return this.change(userId, [key], () => this.stored.set(userId, key, value));
  }

  update<Value, Next extends Value | undefined>(
    userId: string,
    key: string,
    change: (value: Value | undefined) => Next,
  ): Promise<Next> {
    return this.change(userId, [key], () => this.stored.update(userId, key, change));
  }

  updateAll<Value>(
    userId: string,
    keys: readonly string[],
    change: (values: ReadonlyMap<string, Value>) => ReadonlyMap<string, Value | null>,
  ): Promise<void> {
    const touched = [...keys];
    return this.change(userId, touched, () =>
      this.stored.updateAll<Value>(userId, keys, (before) => {
        const after = change(before);
        touched.push(...after.keys());
        return after;
      }),
    );
  }

  delete(userId: string, key: string): Promise<void> {
    return this.change(userId, [key], () => this.stored.delete(userId, key));
  }

  owners(key: string): Promise<string[]> {
    return this.stored.owners(key);
  }

  /** Another process has made it. */
  noteChange(change: Change): void {
    if (change.kind === "setting") this.forget(change.owner, change.key);
    else if (change.kind === "everything") this.forgetAll();
  }

  /** Somebody else has changed it. */
  forget(userId: string, key: string): void {
    this.changes++;
    const name = nameOf(userId, key);
    this.total -= this.kept.get(name)?.length ?? 0;
    this.kept.delete(name);
  }

  /** All were changed at once. */
  forgetAll(): void {
    this.changes++;
    this.total = 0;
    this.kept.clear();
  }

  /** Also after a failure: what is stored then is not known. */
  private async change<Result>(
    userId: string,
    keys: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } finally {
      for (const key of keys) this.forget(userId, key);
    }
  }

  private keep(name: string, value: unknown): void {
    const length = name.length + Math.max(leastLength, JSON.stringify(value)?.length ?? 0);
    if (length > maxValue || this.kept.has(name)) return;
    this.kept.set(name, { value, length });
    this.total += length;
    for (const [oldest, { length: freed }] of this.kept) {
      if (this.total <= maxTotal) return;
      this.kept.delete(oldest);
      this.total -= freed;
    }
  }
}

const nameOf = (userId: string, key: string): string => `${userId}\n${key}`;

function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const each of Object.values(value)) freeze(each);
  return Object.freeze(value);
}
