import type { Logger } from "pino";
import type { ProgramOptions } from "@/lib/protocol/program";
import { heartbeat } from "@/lib/protocol/sse";
import { HttpError } from "@/lib/server/http/errors";
import type { EventFeed, EventSink } from "@/lib/server/http/event-feed";
import { Packet } from "@/lib/server/http/packet";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { RunReader } from "@/lib/server/runs/run-reader";
import { stopRun } from "@/lib/server/runs/stop-run";
import type { RunRow } from "@/lib/store/types";
import { afterRun, type Patience } from "./after-run";
import { Answer, type TheirTools } from "./answer";
import { AnswerForm, type AnswerWriter } from "./answer-form";

const heartbeatMs = 15_000;
const beat = new Packet(heartbeat);

type Deps = RunDeps & { log: Pick<Logger, "error" | "warn"> };

/**
 * An answer for a program: read from the run that it has begun, and from those that continue it. Who goes away before its end
 * stops it. Until its reader has come it holds no more than it has been given at once.
 */
export class AnswerFeed implements EventFeed {
  readonly answer: Answer;
  /** Resolves when there is something to send: the first words, the end, or nothing for so long; with the error where there is no answer. */
  readonly begun: Promise<HttpError | undefined>;
  private readonly beginning = Promise.withResolvers<HttpError | undefined>();
  private readonly held: Packet[] = [];
  private sink: EventSink | undefined;
  private reader: RunReader | undefined;
  private readonly timer: NodeJS.Timeout;
  private isOver = false;
  private readonly left = new AbortController();

  constructor(
    private readonly deps: Deps,
    private row: RunRow,
    private readonly patience: Patience,
    /** Undefined where the answer is told as a whole. */
    private readonly writer?: AnswerWriter,
  ) {
    const { responseSchema, program } = row.options;
    this.answer = new Answer(responseSchema !== undefined, writer && theirTools(program));
    this.begun = this.beginning.promise;
    // A reader has its own; between two runs a person is waited for.
    this.timer = setInterval(() => this.reader || this.write(beat), heartbeatMs).unref();
    this.read(row);
  }

  start(sink: EventSink): void {
    this.sink = sink;
    for (const packet of this.held.splice(0)) sink.write(packet);
    if (this.isOver) sink.end();
    else this.resume();
  }

  resume(): void {
    this.reader?.resume();
  }

  leave(): void {
    const { reader } = this;
    this.release();
    if (this.isOver) return;
    this.isOver = true;
    reader?.leave();
    this.left.abort();
    this.beginning.resolve(undefined);
    stopRun(this.deps, this.row).catch((err) =>
      this.deps.log.warn({ err, runId: this.row.id }, "an answer that nobody reads could not be stopped"),
    );
  }

  private read(row: RunRow): void {
    this.row = row;
    this.reader = new RunReader(this.deps, row, 0, new AnswerForm(row.id, this.answer, this.writer));
    this.reader.start({
      write: (packet) => this.write(packet),
      end: () => void this.onEnd(),
      drop: () => this.drop(),
    });
  }

  private write(packet: Packet): boolean {
    // Told as a whole, it has nobody who reads along.
    if (!this.writer) return true;
    if (this.sink) return this.sink.write(packet);
    this.held.push(packet);
    this.beginning.resolve(undefined);
    return false;
  }

  /** A run of the answer has ended, or cannot be read any more. */
  private async onEnd(): Promise<void> {
    this.reader = undefined;
    const { answer, deps, row } = this;
    try {
      const outcome = await afterRun(deps, row, answer.result, this.patience, this.left.signal);
      if (this.isOver) return;
      if (outcome && "next" in outcome) this.read(outcome.next);
      else if (outcome) this.fail(outcome.error);
      else if (!answer.isSound) this.fail(begunAnew());
      else this.finish(this.writer?.end(answer));
    } catch (err) {
      if (this.isOver) return;
      deps.log.error({ err, runId: row.id }, "the answer to a program broke");
      this.fail(new HttpError(500, "internal", "Something went wrong on our side; the log says more."));
    }
  }

  private fail(error: HttpError): void {
    if (this.isOver) return;
    // Once something was sent it is too late for a status.
    const isBegun = this.sink !== undefined || this.held.length > 0;
    this.beginning.resolve(error);
    this.finish(isBegun ? this.writer?.fail(error) : undefined);
  }

  private finish(last: string | undefined): void {
    const { sink } = this;
    const packet = last ? new Packet(last) : undefined;
    this.isOver = true;
    this.release();
    if (sink) sink.end(packet);
    else if (packet) this.held.push(packet);
    this.beginning.resolve(undefined);
  }

  /** Its reader has taken nothing for too long. */
  private drop(): void {
    const { sink } = this;
    this.leave();
    sink?.drop();
  }

  private release(): void {
    clearInterval(this.timer);
    this.sink = this.reader = undefined;
  }
}

function theirTools({ tools = [], oneCall }: ProgramOptions = { wire: "chat" }): TheirTools | undefined {
  return tools.length > 0
    ? { names: new Set(tools.map(({ name }) => name)), oneCall: oneCall === true }
    : undefined;
}

const begunAnew = () =>
  new HttpError(
    502,
    "begun_anew",
    "The model broke off while it wrote the call of a tool and began anew, and a part of the call was sent already: ask again.",
  );
