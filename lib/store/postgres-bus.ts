import type { Client } from "pg";
import { z } from "zod";
import { type Bus, type Change, LocalBus, type Topic } from "./bus";
import { isConnectionGone } from "./postgres-fault";
import type { Membership } from "./postgres-membership";
import { openSession } from "./postgres-session";

/** The same in each version of Meguri. */
const channel = "meguri";
/** The line is looked at so often … */
const lookMs = 1_000;
/** … and given up when there is no answer for so long. */
const answerMs = 2_000;
const [firstPauseMs, longestPauseMs] = [50, 1_000];
/** Characters of one notification, which may hold 8,000 bytes; topics and bodies are ASCII. A longer hint is lost. */
const maxPayload = 7_000;
const maxHint = 500;
/** Those that come while so many wait are lost. */
const maxWaiting = 10_000;

type Hint = [topic: string, body: string];

/** Who has sent it, and what: `[from, [topic, body], …]`. */
const Payload = z.tuple([z.string()], z.tuple([z.string(), z.string()]));

/** Of changes, which triggers send: their body is one as JSON. */
const changes = "config";
const ChangeJson: z.ZodType<Change> = z.union([
  z.object({ kind: z.literal("setting"), owner: z.string(), key: z.string() }),
  z.object({ kind: z.enum(["person", "session", "usage"]), id: z.string() }),
  z.object({ kind: z.enum(["servers", "everything"]) }),
]);

/**
 * `Bus` over LISTEN and NOTIFY, on one session for both. What is published while a statement is under way goes out together
 * with the next one, each hint once, and what may not have been heard as the session broke is sent over the next one; without
 * other processes nothing is sent.
 */
export class NotifyBus implements Bus {
  private readonly local = new LocalBus();
  private readonly followers = new Set<(change: Change) => void>();
  private opened: { id: string; client: Client } | undefined;
  /** As JSON. */
  private readonly waiting = new Set<string>();
  private wake: () => void = () => {};
  private isClosed = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly members: Pick<Membership, "id" | "hasOthers">,
  ) {}

  /** Hints are heard when it resolves. Throws StoreError. */
  async start(): Promise<void> {
    await this.listen();
    this.running = this.run();
  }

  get isUp(): boolean {
    return this.opened !== undefined;
  }

  publish(topic: Topic, body = ""): void {
    this.local.publish(topic, body);
    const hint = JSON.stringify([topic, body] satisfies Hint);
    if (!this.members.hasOthers || hint.length > maxHint) return;
    this.keep(hint);
    // A line that has to be opened again is tried at its own pace.
    if (this.opened) this.wake();
  }

  private keep(hint: string): void {
    if (this.waiting.size < maxWaiting) this.waiting.add(hint);
  }

  subscribe(topic: Topic, listener: (body: string) => void): () => void {
    return this.local.subscribe(topic, listener);
  }

  onChange(listener: (change: Change) => void): () => void {
    this.followers.add(listener);
    return () => this.followers.delete(listener);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.wake();
    await this.running;
    await this.opened?.client.end().catch(() => {});
  }

  private async run(): Promise<void> {
    for (let pauseMs = firstPauseMs; !this.isClosed; ) {
      try {
        if (this.opened?.id !== this.members.id) {
          await this.listen();
          this.tell({ kind: "everything" });
        }
        await this.send();
        pauseMs = firstPauseMs;
        if (this.waiting.size === 0 && !this.isClosed) await this.pause(lookMs);
      } catch {
        this.drop();
        // Other lines may go on: what is read over them is kept no longer than a pause.
        this.tell({ kind: "everything" });
        await this.pause(pauseMs);
        pauseMs = Math.min(longestPauseMs, 2 * pauseMs);
      }
    }
    // What was published right before the close.
    if (this.waiting.size > 0) await this.send().catch(() => {});
  }

  /** Until then, or until there is something to do. */
  private async pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms).unref();
    this.wake = resolve;
    await promise;
    clearTimeout(timer);
  }

  private async listen(): Promise<void> {
    this.drop();
    const { id } = this.members;
    const gone = Promise.withResolvers<void>();
    const client = await openSession(this.url, {
      id,
      query_timeout: answerMs,
      connectionTimeoutMillis: answerMs,
      onGone: gone.resolve,
    });
    void gone.promise.then(() => {
      if (this.opened?.client !== client) return;
      this.opened = undefined;
      this.wake();
    });
    client.on("notification", ({ payload = "" }) => this.deliver(payload));
    this.opened = { id, client };
    await client.query(`listen ${channel}`);
  }

  /** With nothing to send it asks whether the line is still there. */
  private async send(): Promise<void> {
    const { opened } = this;
    if (!opened) return;
    const hints = [...this.waiting];
    this.waiting.clear();
    try {
      await opened.client.query({
        name: "notify",
        text: "select pg_notify($1, payload) from unnest($2::text[]) payload",
        values: [channel, pack(this.members.id, hints)],
      });
    } catch (cause) {
      if (isConnectionGone(cause)) for (const hint of hints) this.keep(hint);
      throw cause;
    }
  }

  private deliver(payload: string): void {
    const [from, ...hints] = readPayload(payload);
    if (from === this.members.id) return;
    for (const [topic, body] of hints)
      if (topic === changes) this.tell(readChange(body));
      else this.local.publish(topic, body);
  }

  private tell(change: Change): void {
    for (const listener of this.followers) listener(change);
  }

  private drop(): void {
    const { opened } = this;
    this.opened = undefined;
    opened?.client.end().catch(() => {});
  }
}

/** Anybody may send something to the channel. */
const readPayload = (payload: string): z.infer<typeof Payload> | [] =>
  Payload.safeParse(readJson(payload)).data ?? [];

/** One that a newer version knows may be any. */
const readChange = (body: string): Change =>
  ChangeJson.safeParse(readJson(body)).data ?? { kind: "everything" };

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As few notifications as hold them. */
function pack(from: string, hints: readonly string[]): string[] {
  const payloads: string[] = [];
  let text = "";
  for (const hint of hints) {
    if (text.length + hint.length > maxPayload) {
      payloads.push(`${text}]`);
      text = "";
    }
    text += text === "" ? `[${JSON.stringify(from)},${hint}` : `,${hint}`;
  }
  return text === "" ? payloads : [...payloads, `${text}]`];
}
