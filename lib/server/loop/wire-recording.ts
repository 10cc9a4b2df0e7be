import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { Provider, Turn, WireExchange, WireRecorder, WireRequest } from "@/lib/agent/ports";
import { isMemoryFull } from "@/lib/store/errors";
import type { Settings } from "@/lib/store/kept-ports";
import type { RunLog } from "@/lib/store/ports";
import type { RunRow } from "@/lib/store/types";
import { formsOf, type SecretForms, withoutSecrets } from "./secret-forms";
import { cleanBody, maxBody, unpackedBody, WireBytes, type WireRoom } from "./wire-bytes";
import { type WireParts, writeWire } from "./wire-form";

/** Bytes of bodies that are recorded for one run; turns after that are not. */
const maxPerRun = 64_000_000;
/** How long a run that is over waits for what still comes of its last answer. */
const lingerMs = 500;

interface Deps {
  store: { settings: Pick<Settings, "get">; log: Pick<RunLog, "addWire"> };
  runs: { readonly wireRoom: WireRoom };
  log: Pick<Logger, "warn">;
}

/** The recording of this run; undefined where its request or else the person's settings do not ask for one. */
export async function openRecording(deps: Deps, row: RunRow): Promise<WireRecording | undefined> {
  const { recordWire = (await deps.store.settings.get(row.userId, "recordWire")) === true } = row.options;
  return recordWire ? new WireRecording(deps, row.id) : undefined;
}

/** Records what goes over the wire for each turn of a run, and stores it when the answer has come. */
export class WireRecording {
  private readonly names = new WeakMap<Turn, string>();
  private readonly pending = new Set<Promise<void>>();
  private left = maxPerRun;

  constructor(
    private readonly deps: Deps,
    private readonly runId: string,
  ) {}

  /** Under which name this turn is recorded; for the log. */
  name(turn: Turn): string {
    const name = randomBytes(9).toString("base64url");
    this.names.set(turn, name);
    return name;
  }

  /** The same model, whose turns are recorded where they have a name. */
  record(provider: Provider): Provider {
    return {
      stream: (turn) => {
        const name = this.names.get(turn);
        if (name === undefined || this.left <= 0) return provider.stream(turn);
        const recorder = new TurnRecorder(this.deps.runs.wireRoom, this.keeper(name));
        return provider.stream({ ...turn, wire: recorder });
      },
    };
  }

  /** Resolves when all is stored; what does not come to an end is not waited for. */
  async settled(): Promise<void> {
    if (this.pending.size === 0) return;
    const limit = new AbortController();
    const late = wait(lingerMs, undefined, { signal: limit.signal, ref: false }).catch(() => {});
    await Promise.race([Promise.all(this.pending), late]);
    limit.abort();
  }

  /** Stores what was recorded for a turn, one attempt after the other. */
  private keeper(name: string): (exchange: RecordedExchange) => void {
    let before = Promise.resolve();
    return (exchange) => {
      const stored = Promise.all([exchange.recorded, before])
        .then(([parts]) => this.store(name, parts))
        .catch((err) =>
          this.deps.log.warn({ err, runId: this.runId }, "the wire of a turn could not be recorded"),
        )
        .finally(() => {
          exchange.release();
          this.pending.delete(stored);
        });
      before = stored;
      this.pending.add(stored);
    };
  }

  private async store(name: string, parts: WireParts): Promise<void> {
    this.left -= parts.request.length + parts.response.length;
    await this.deps.store.log.addWire(this.runId, name, writeWire(parts)).catch((cause) => {
      if (!isMemoryFull(cause)) throw cause;
    });
  }
}

/** The requests of one turn: each replaces the one before, as only the last has brought the answer. */
class TurnRecorder implements WireRecorder {
  private attempts = 0;

  constructor(
    private readonly room: WireRoom,
    private readonly keep: (exchange: RecordedExchange) => void,
  ) {}

  begin(request: WireRequest): WireExchange {
    this.attempts++;
    const exchange = new RecordedExchange(request, this.attempts, this.room);
    this.keep(exchange);
    return exchange;
  }
}

class RecordedExchange implements WireExchange {
  readonly recorded: Promise<WireParts>;
  private readonly whole = Promise.withResolvers<WireParts>();
  private readonly at = Date.now();
  private readonly started = performance.now();
  private readonly forms: SecretForms;
  private readonly limit: number;
  private readonly sent: WireBytes;
  private readonly came: WireBytes;
  private answer: { status: number; headers: Record<string, string>; firstByteMs: number } | undefined;
  private isOver = false;

  constructor(
    private readonly request: WireRequest,
    private readonly attempts: number,
    room: WireRoom,
  ) {
    this.recorded = this.whole.promise;
    this.forms = formsOf(request.secrets);
    this.limit = maxBody + this.forms.longest;
    this.sent = new WireBytes(room, this.limit);
    this.came = new WireBytes(room, this.limit);
    const { body } = request;
    if (typeof body === "string") this.sent.addText(body);
    else if (body) this.sent.add(body);
  }

  answered(status: number, headers: Readonly<Record<string, string>>): void {
    this.answer = { status, headers, firstByteMs: this.elapsed() };
  }

  received(bytes: Uint8Array): void {
    if (!this.isOver) this.came.add(bytes);
  }

  ended(cause?: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    const ms = this.elapsed();
    this.whole.resolve(this.parts(ms, cause === undefined));
  }

  private async parts(ms: number, complete: boolean): Promise<WireParts> {
    const { request, forms, sent, came, answer } = this;
    const unpacked = await unpackedBody(came, answer?.headers["content-encoding"], this.limit);
    const [question, said] = [cleanBody(sent, forms), cleanBody(unpacked, forms, complete)];
    const clean = (headers: Readonly<Record<string, string>>) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, withoutSecrets(value, forms)]),
      );
    const { method, url } = request;
    const about: WireParts["about"] = {
      ...{ at: this.at, attempts: this.attempts },
      request: {
        ...{ method, url: withoutSecrets(url, forms), headers: clean(request.headers) },
        ...{ bytes: sent.total, truncated: question.isCut },
      },
      response: answer
        ? {
            ...{ ...answer, headers: clean(answer.headers), ms, complete },
            ...{ bytes: came.total, truncated: said.isCut },
          }
        : null,
    };
    return { about, request: question.bytes, response: said.bytes };
  }

  /** It is stored, or cannot be. */
  release(): void {
    this.sent.release();
    this.came.release();
  }

  private readonly elapsed = (): number => Math.round(performance.now() - this.started);
}
