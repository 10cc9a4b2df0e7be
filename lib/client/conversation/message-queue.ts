import { v7 as newId } from "uuid";
import { ApiError, api, asApiError, isPassing } from "@/lib/client/http/http";
import type { Page, QueuedMessage, QueuedWhen } from "@/lib/protocol/http";
import type { QueueLine, QueueNews, QueueState } from "./conversation-state";
import {
  inOrder,
  newLine,
  newsOf,
  putBack,
  type QueueChange,
  type SayHow,
  type Written,
  withChange,
  withNew,
} from "./queue-lines";
import { toFailure } from "./turn-list";

const maxTries = 3;
const retryAfterMs = 300;

/**
 * What was written while an answer goes on, and waits until the model gets it. Each change is shown at once and told to
 * the server after those before it; what the server refuses is fetched as it is there.
 */
export class MessageQueue {
  private state: QueueState = { lines: [], news: null };
  /** Ids that are in the thread, or on their way there: a response from before does not bring them back. */
  private readonly gone = new Set<string>();
  private readonly keys = new Map<string, string>();
  /** Counts changes: a response to a request from before the last one is out of date. */
  private epoch = 0;
  private inFlight = 0;
  private last: Promise<unknown> = Promise.resolve();
  /** What could not be sent: sent again unchanged it keeps its id, so that it never counts twice. */
  private unsent: { content: string; clientMessageId: string } | null = null;

  /** `knownRun`: any run of the chain that the messages wait for; null where none began. */
  constructor(
    private readonly knownRun: () => Promise<string | null>,
    private readonly show: (state: QueueState) => void,
  ) {}

  /**
   * Fetches what waits. A failure changes nothing: the next time is soon. Resolves to whether something waits no more that is not
   * known to stand in the thread: it is being asked, or somebody has taken it back.
   */
  async load(): Promise<boolean> {
    const { epoch } = this;
    try {
      const runId = await this.knownRun();
      if (runId === null) return false;
      const { items } = await api<Page<QueuedMessage>>(pathOf(runId));
      return epoch === this.epoch && this.inFlight === 0 && this.take(items);
    } catch {
      // What is shown stays.
      return false;
    }
  }

  /** Shows the message at once. Throws `ApiError` when the server does not take it; then it is the caller's to keep. */
  async add(how: SayHow, { text, files }: Written): Promise<void> {
    const content = JSON.stringify([how === "stop", text, files.map(({ attachmentId }) => attachmentId)]);
    const clientMessageId = this.unsent?.content === content ? this.unsent.clientMessageId : newId();
    const line = newLine(clientMessageId, how, { text, files });
    this.set({ lines: withNew(this.state.lines, line, how), news: { kind: how } });
    const attachments = files.map(({ attachmentId }) => ({ id: attachmentId }));
    const message = { text, ...(attachments.length > 0 && { attachments }), clientMessageId };
    try {
      const { id, when } = await this.inTurn(() => this.post(how, message));
      this.unsent = null;
      this.keys.set(id, line.key);
      if (how === "stop") this.gone.add(id);
      this.replace(line.key, { ...line, id, when, isSending: false });
      if (when !== line.when) this.set({ lines: inOrder(this.state.lines), news: { kind: "notSteered" } });
    } catch (cause) {
      this.unsent = { content, clientMessageId };
      this.replace(line.key, null);
      throw asApiError(cause);
    }
  }

  /** The id under which the message goes out that could not be added last. */
  takeUnsent(): string | undefined {
    const id = this.unsent?.clientMessageId;
    this.unsent = null;
    return id;
  }

  /** Resolves to whether it was changed; if not, `news` says why. */
  change(id: string, change: QueueChange): Promise<boolean> {
    const line = this.state.lines.find((each) => each.id === id);
    if (!line) return Promise.resolve(false);
    const lines = withChange(this.state.lines, line, change);
    this.set({ lines, news: newsOf(change, lines, id) });
    return this.tell(line, { method: "PATCH", body: change });
  }

  takeBack(id: string): Promise<boolean> {
    const line = this.state.lines.find((each) => each.id === id);
    if (!line) return Promise.resolve(false);
    this.set({ lines: this.state.lines.filter((each) => each !== line), news: { kind: "takenBack" } });
    return this.tell(line, { method: "DELETE" });
  }

  /** These stand in the thread now. */
  onRead(ids: Iterable<string>): void {
    const fresh = [...ids].filter((id) => !this.gone.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) this.gone.add(id);
    const isGone = ({ id }: QueueLine) => this.gone.has(id);
    const read = this.state.lines.find(isGone);
    if (!read) return;
    const lines = this.state.lines.filter((line) => !isGone(line));
    this.set({ lines, news: { kind: read.tooLate ? "askedNext" : "read" } });
  }

  /** The answer has ended: what it did not get any more is asked after it. */
  onEnd(): void {
    const isLate = ({ when, isSending }: QueueLine) => when === "next_turn" && !isSending;
    if (!this.state.lines.some(isLate)) {
      // While it is being told of it is not old: what stops an answer is sent before the answer ends.
      if (this.state.news && this.inFlight === 0) this.set({ ...this.state, news: null }, false);
      return;
    }
    const lines = this.state.lines.map(
      (line): QueueLine => (isLate(line) ? { ...line, when: "after", tooLate: true } : line),
    );
    this.set({ lines, news: { kind: "tooLate" } });
  }

  private take(items: readonly QueuedMessage[]): boolean {
    const ids = new Set(items.map(({ id }) => id));
    const isLost = this.state.lines.some(
      ({ id, isSending }) => !isSending && id !== null && !ids.has(id) && !this.gone.has(id),
    );
    const before = new Map(this.state.lines.map((line) => [line.id, line]));
    const waiting = items
      .filter(({ id }) => !this.gone.has(id))
      .map((item): QueueLine => {
        const old = before.get(item.id);
        const tooLate = item.when === "after" && old?.tooLate === true;
        return { ...item, key: this.keys.get(item.id) ?? item.id, isSending: false, tooLate };
      });
    const lines = inOrder([...waiting, ...this.state.lines.filter(({ isSending }) => isSending)]);
    if (JSON.stringify(lines) !== JSON.stringify(this.state.lines)) this.set({ ...this.state, lines }, false);
    return isLost;
  }

  private async post(how: SayHow, message: object): Promise<{ id: string; when: QueuedWhen }> {
    const runId = await this.knownRun();
    // The answer that it was to follow could not even be begun.
    if (runId === null) throw noRun();
    // biome-ignore-start lint/suspicious/noThenProperty: a field of the API, and nothing waits for this object
    const [path, body] =
      how === "stop"
        ? [`${runPath(runId)}/stop`, { then: message }]
        : [pathOf(runId), { ...message, when: how }];
    // biome-ignore-end lint/suspicious/noThenProperty: as above
    for (let tries = 1; ; tries++)
      try {
        const sent = await api<{ id: string; when: QueuedWhen } | { messageId: string }>(path, {
          method: "POST",
          body,
        });
        return "id" in sent ? sent : { id: sent.messageId, when: "after" };
      } catch (cause) {
        if (tries === maxTries || !isPassing(asApiError(cause))) throw cause;
        await new Promise((resolve) => setTimeout(resolve, retryAfterMs * tries));
      }
  }

  /** `line`: as it was before the change. */
  private async tell(
    line: QueueLine,
    request: { method: "PATCH" | "DELETE"; body?: QueueChange },
  ): Promise<boolean> {
    const { id } = line;
    let refusal: QueueNews | undefined;
    try {
      await this.inTurn(async () => {
        const runId = await this.knownRun();
        if (runId === null) throw noRun();
        await api(`${pathOf(runId)}/${encodeURIComponent(id)}`, request);
      });
    } catch (cause) {
      const failure = toFailure(cause);
      refusal = failure.code === "delivered" ? { kind: "delivered" } : { kind: "failed", failure };
    }
    if (request.method === "DELETE" && !refusal) this.gone.add(id);
    // It waits as before, also where nothing can be fetched that says so.
    if (refusal?.kind === "failed" && !this.gone.has(id))
      this.set({ ...this.state, lines: putBack(this.state.lines, line) });
    await this.load();
    if (refusal) this.set({ ...this.state, news: refusal }, false);
    return !refusal;
  }

  /** One after the other, so that the last change is stored last. */
  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.inFlight++;
    const mine = this.last.then(work);
    this.last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      this.inFlight--;
      this.epoch++;
    }
  }

  private replace(key: string, by: QueueLine | null): void {
    const lines = this.state.lines.flatMap((line) => (line.key === key ? (by ?? []) : line));
    this.set({ ...this.state, lines: lines.filter(({ id }) => !this.gone.has(id)) });
  }

  private set(state: QueueState, isChange = true): void {
    if (isChange) this.epoch++;
    this.state = state;
    this.show(state);
  }
}

const runPath = (runId: string) => `/api/runs/${encodeURIComponent(runId)}`;
const pathOf = (runId: string) => `${runPath(runId)}/messages`;

const noRun = () => new ApiError("run_ended", "There is no answer that this could follow.", 409);
