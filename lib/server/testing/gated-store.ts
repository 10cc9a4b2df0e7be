import type { LogSource, Store, Urgency } from "@/lib/store/ports";

/** A method of the store, `runs.finish`. */
export type StoreMethod = {
  [Part in keyof Store]: Store[Part] extends (...args: never[]) => unknown
    ? never
    : `${Part}.${Extract<keyof Store[Part], string>}`;
}[keyof Store];

/** A call that was held back. */
export interface HeldCall {
  /** Resolves when the call has come. Nothing of it is stored yet. */
  reached: Promise<void>;
  /** Lets it go on; calls that come later are not held. */
  release(): void;
  /** It fails with this instead, and nothing is stored. */
  fail(cause: Error): void;
}

export interface GatedStore extends Store {
  /** Holds the next call of a method, of those that `which` picks by their arguments. */
  hold(method: StoreMethod, which?: (...args: never[]) => boolean): HeldCall;
  /** From now on all such calls fail with what is returned, until it is called with nothing. */
  failing(method: StoreMethod, cause: Error | undefined): void;
  /** Told of each call before it goes. */
  onCall?: (method: StoreMethod, args: unknown[]) => void;
  /** `kill -9`: nothing that was asked of the store comes back, and nothing new is done. */
  kill(): void;
  /** The same at the `count`th call from now, right before or right after it is done; in place of one that has not come. */
  killAt(count: number, when: "before" | "after"): void;
  /** Resolves at the kill. */
  killed: Promise<void>;
  readonly isDead: boolean;
  /** Whether nothing that was let through is under way. */
  readonly isQuiet: boolean;
  /** Resolves when that is so: of a process that is killed nothing comes later. */
  quiet(): Promise<void>;
  /** How often a method was called. */
  count(method: StoreMethod): number;
}

interface Gate {
  method: StoreMethod;
  which: (...args: never[]) => boolean;
  pass: Promise<void>;
  reach(): void;
}

/** Puts a gate before every method of a store, which makes orders certain. What is let through goes to the store itself. */
export function gated(store: Store): GatedStore {
  const gates = new Set<Gate>();
  const faults = new Map<StoreMethod, Error>();
  const counts = new Map<StoreMethod, number>();
  let isDead = false;
  let left = Number.POSITIVE_INFINITY;
  let dies: "before" | "after" = "before";
  const killed = Promise.withResolvers<void>();
  const kill = () => {
    isDead = true;
    killed.resolve();
  };
  const under = new Set<Promise<unknown>>();
  const track = async (work: Promise<unknown>) => {
    under.add(work);
    return work.finally(() => under.delete(work));
  };
  const forever = new Promise<never>(() => {});

  const through = async (method: StoreMethod, args: unknown[], work: () => Promise<unknown>) => {
    counts.set(method, (counts.get(method) ?? 0) + 1);
    if (isDead) return forever;
    const isLast = --left === 0;
    if (isLast && dies === "before") kill();
    if (isDead) return forever;
    result.onCall?.(method, args);
    const gate = [...gates].find((held) => held.method === method && held.which(...(args as never[])));
    if (gate) {
      gates.delete(gate);
      gate.reach();
      await gate.pass;
    }
    const fault = faults.get(method);
    if (fault) throw fault;
    if (isDead) return forever;
    const value = await track(work());
    // Unless it was put off while that call was under way: nobody looks out for it any more.
    if (isLast && left <= 0) kill();
    return isDead ? forever : value;
  };
  const requests = new Map<LogSource, Urgency>();
  /** What a live run writes goes through `log.append`, where it can be held, made to fail and counted. */
  const request = (source: LogSource, urgency: Urgency) => {
    const before = requests.get(source);
    requests.set(source, before === "durable" ? before : urgency);
    if (before) return;
    setImmediate(() => {
      const durable = requests.get(source) === "durable";
      requests.delete(source);
      const { runId } = source;
      const events = source.take();
      const append = () => store.log.append(runId, events, durable);
      void through("log.append", [runId, events, durable], append).then(
        () => source.stored(),
        (cause) => source.failed(cause),
      );
    });
  };
  const part = <Part extends keyof Store>(name: Part): Store[Part] =>
    new Proxy(store[name] as object, {
      get: (target, key) => {
        const method = Reflect.get(target, key);
        if (typeof method !== "function") return method;
        const full = `${name}.${String(key)}` as StoreMethod;
        if (full === "log.request") return request;
        return (...args: unknown[]) => through(full, args, () => method.apply(target, args));
      },
    }) as Store[Part];

  const result: GatedStore = {
    ...store,
    conversations: part("conversations"),
    messages: part("messages"),
    runs: part("runs"),
    log: part("log"),
    settings: part("settings"),
    attachments: part("attachments"),
    queue: part("queue"),
    hold(method, which = () => true) {
      const reached = Promise.withResolvers<void>();
      const pass = Promise.withResolvers<void>();
      pass.promise.catch(() => {});
      gates.add({ method, which, pass: pass.promise, reach: reached.resolve });
      return { reached: reached.promise, release: pass.resolve, fail: pass.reject };
    },
    failing: (method, cause) => {
      if (cause) faults.set(method, cause);
      else faults.delete(method);
    },
    kill,
    killAt: (count, when) => {
      left = count;
      dies = when;
    },
    killed: killed.promise,
    get isQuiet() {
      return under.size === 0;
    },
    quiet: async () => void (await Promise.allSettled(under)),
    get isDead() {
      return isDead;
    },
    count: (method) => counts.get(method) ?? 0,
  };
  return result;
}
