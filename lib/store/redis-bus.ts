import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@redis/client";
import { type Bus, type Change, LocalBus, type Topic } from "./bus";
import type { EngineMembers } from "./engine";

export interface RedisOptions {
  url: string;
  /** Begins the name of each channel: one server may be used by several applications. */
  prefix: string;
}

/** The line is looked at so often … */
const lookMs = 1_000;
/** … and given up when there is no answer for so long. */
const answerMs = 2_000;
const [firstPauseMs, longestPauseMs] = [50, 1_000];
/** Characters of a topic with its body. A longer hint is lost. */
const maxHint = 500;
/** Hints that come while so many wait are lost. */
const maxWaiting = 10_000;
/** Batches that are under way at once: to wait for the answer to each would delay the next one by a round trip. */
const maxUnderway = 32;
/** Hints of more topics than that are not heard. */
const maxTopics = 10_000;

type Hint = readonly [topic: Topic, body: string];

/** Their bodies are more than a reason to look: whoever may publish on the server must have no say in them. */
const trusted: ReadonlySet<Topic> = new Set<Topic>(["attempts", "sign-ins"]);

/**
 * `Bus` whose hints go over channels of a Redis server, one for each topic, and over `notify` while that server does not
 * answer; changes and what counts sign-ins always go over `notify`. Redis keeps nothing. Once it is there again, and after each
 * topic that is subscribed to, whoever listens is told to look, as hints may have been missed.
 */
export class RedisBus implements Bus {
  private readonly local = new LocalBus();
  private readonly readers = new Map<Topic, number>();
  private client: Client | undefined;
  private isReady = false;
  private isMissed = false;
  /** Topics to which `client` listens, and those of which that may have to change. */
  private readonly heard = new Set<Topic>();
  private readonly stale = new Set<Topic>();
  private readonly waiting = new Map<string, Hint>();
  private readonly underway = new Map<Promise<void>, readonly Hint[]>();
  /** Topics are told of one after the other: what is asked for and what is left must not overtake each other. */
  private isTelling = false;
  private failed: { cause: unknown } | undefined;
  private waking = new AbortController();
  private isClosed = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: RedisOptions,
    private readonly members: Pick<EngineMembers, "id" | "hasOthers">,
    private readonly notify: Bus,
  ) {}

  /** Redis may be absent. */
  start(): void {
    this.running = this.run();
  }

  get isUp(): boolean {
    return this.isReady && this.notify.isUp;
  }

  publish(topic: Topic, body = ""): void {
    if (!this.isReady || trusted.has(topic)) {
      this.notify.publish(topic, body);
      return;
    }
    this.local.publish(topic, body);
    if (!this.members.hasOthers || this.waiting.size >= maxWaiting) return;
    if (topic.length + body.length > maxHint) return;
    this.waiting.set(`${topic} ${body}`, [topic, body]);
    this.waking.abort();
  }

  subscribe(topic: Topic, listener: (body: string) => void): () => void {
    const ends = [this.local.subscribe(topic, listener), this.notify.subscribe(topic, listener)];
    const isKept = this.readers.has(topic) || this.readers.size < maxTopics;
    if (isKept && !trusted.has(topic)) ends.push(this.listen(topic));
    return () => {
      for (const end of ends.splice(0)) end();
    };
  }

  onChange(listener: (change: Change) => void): () => void {
    return this.notify.onChange(listener);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.waking.abort();
    await this.running;
    this.drop();
  }

  private listen(topic: Topic): () => void {
    this.count(topic, 1);
    return () => this.count(topic, -1);
  }

  private count(topic: Topic, by: number): void {
    const count = (this.readers.get(topic) ?? 0) + by;
    if (count > 0) this.readers.set(topic, count);
    else this.readers.delete(topic);
    // A new line asks for all of them.
    if (this.client) this.stale.add(topic);
    if (this.isReady) this.waking.abort();
  }

  private async run(): Promise<void> {
    for (let pauseMs = firstPauseMs; !this.isClosed; ) {
      try {
        const sent = this.send(this.client ?? (await this.connect()));
        if (!this.isReady) await sent;
        this.noteReady();
        pauseMs = firstPauseMs;
        if (this.underway.size >= maxUnderway) await Promise.race(this.underway.keys());
        if (!this.hasWork && !this.failed && !this.isClosed) await this.pause(lookMs);
        if (this.failed) throw this.failed.cause;
      } catch (cause) {
        this.drop();
        this.noteMissed(cause);
        if (!this.isClosed) await this.pause(pauseMs);
        pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
      }
    }
  }

  private get hasWork(): boolean {
    return this.waiting.size > 0 || (this.stale.size > 0 && !this.isTelling);
  }

  /** Until then, or until there is something to do. */
  private async pause(ms: number): Promise<void> {
    this.waking = new AbortController();
    await sleep(ms, undefined, { signal: this.waking.signal, ref: false }).catch(() => {});
  }

  private async connect(): Promise<Client> {
    const client = newClient(this.options.url);
    this.client = client;
    client.on("error", () => {
      if (this.client === client && this.isReady) this.waking.abort();
    });
    await inTime(client.connect());
    for (const topic of this.readers.keys()) this.stale.add(topic);
    return client;
  }

  /** With nothing to send it asks whether hints would be taken. What is wrong is told by `failed` as well. */
  private send(client: Client): Promise<void> {
    const hints = [...this.waiting.values()];
    this.waiting.clear();
    const asked = [
      ...(this.isTelling ? [] : [this.tellTopics(client)]),
      ...hints.map(([topic, body]) => client.publish(this.channelOf(topic), `${this.members.id}\n${body}`)),
      ...(hints.length === 0 ? [client.publish(`${this.options.prefix}look`, "")] : []),
    ];
    const sent = inTime(Promise.all(asked)).then(
      () => {},
      (cause) => {
        if (this.client === client) {
          this.failed ??= { cause };
          this.waking.abort();
        }
        throw cause;
      },
    );
    this.underway.set(sent, hints);
    sent.then(
      () => this.underway.delete(sent),
      () => {},
    );
    return sent;
  }

  private async tellTopics(client: Client): Promise<void> {
    const topics = [...this.stale];
    const wanted = topics.filter((topic) => this.readers.has(topic) && !this.heard.has(topic));
    const left = topics.filter((topic) => !this.readers.has(topic) && this.heard.has(topic));
    this.stale.clear();
    if (wanted.length + left.length === 0) return;
    this.isTelling = true;
    await Promise.all([
      wanted.length > 0 && client.subscribe(wanted.map(this.channelOf), this.deliver),
      left.length > 0 && client.unsubscribe(left.map(this.channelOf)),
    ]);
    // It may have been given up meanwhile.
    if (this.client !== client) return;
    this.isTelling = false;
    for (const topic of left) this.heard.delete(topic);
    for (const topic of wanted) this.heard.add(topic);
    // What was published before it was heard here.
    for (const topic of wanted) this.local.publish(topic);
    if (this.stale.size > 0) this.waking.abort();
  }

  private readonly channelOf = (topic: Topic): string => this.options.prefix + topic;

  /** Anybody may send something to a channel. */
  private readonly deliver = (message: string, channel: string): void => {
    const [from, body] = message.split("\n");
    if (body === undefined || message.length > 2 * maxHint) return;
    if (from === this.members.id) return;
    this.local.publish(channel.slice(this.options.prefix.length), body);
  };

  private noteReady(): void {
    this.isReady = true;
    if (!this.isMissed) return;
    this.isMissed = false;
    process.emitWarning("Redis (REDIS_URL) answers again.");
  }

  private noteMissed(cause: unknown): void {
    if (this.isMissed || this.isClosed) return;
    this.isMissed = true;
    process.emitWarning(
      `Redis (REDIS_URL) does not answer (${faultOf(cause)}). What instances tell each other goes over PostgreSQL until it does.`,
    );
  }

  /** What nobody may have heard yet goes the other way. */
  private drop(): void {
    const unheard = [...this.underway.values(), [...this.waiting.values()]].flat();
    this.isReady = false;
    this.isTelling = false;
    this.failed = undefined;
    this.heard.clear();
    this.stale.clear();
    this.waiting.clear();
    this.underway.clear();
    this.client?.destroy();
    this.client = undefined;
    for (const [topic, body] of unheard) this.notify.publish(topic, body);
  }
}

type Client = ReturnType<typeof newClient>;

/** It is not connected again: that is for who has it to do. */
const newClient = (url: string) =>
  createClient({
    url,
    // One line for what is sent and what is heard.
    RESP: 3,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    socket: { reconnectStrategy: false, connectTimeout: answerMs },
  });

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: isLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error()), answerMs);
  return Promise.race([answer, isLate]).finally(() => clearTimeout(timer));
}

/** A word and no more: what a server answers may repeat what it was sent, the password as well. */
function faultOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "no answer";
  const { code } = cause as NodeJS.ErrnoException;
  return code ?? /^[A-Z]{3,}\b/.exec(cause.message)?.[0] ?? "no answer";
}
