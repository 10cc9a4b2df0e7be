import type { StreamEvent } from "@/lib/protocol/sse";
import { apiOf } from "../api";
import type { App } from "../app";
import { type Following, followStream } from "../follow-stream";

/** A message that the application has said it has. */
interface Acknowledged {
  clientMessageId: string;
  text: string;
}

/** Of `GET /api/runs/:id/stream` or `POST /api/chat`, also one that broke off. */
interface Stream {
  runId: string;
  after: number;
  events: readonly StreamEvent[];
}

let count = 0;

/**
 * What one application has told its clients, kept by the client: the checker holds what is stored to it. What was sent but
 * never answered is not in it, as nothing was promised for it.
 */
export class History {
  readonly messages: Acknowledged[];
  readonly streams: Stream[];
  /** Runs whose Stop was answered, with the time, epoch ms. */
  readonly stops: { runId: string; at: number }[];
  /** Answers with an error status. */
  readonly refusals: { request: string; status: number; body: string }[];

  /** With `account` it goes on with that one. */
  constructor(
    private readonly app: Pick<App, "fetch">,
    account?: History,
  ) {
    this.messages = account?.messages ?? [];
    this.streams = account?.streams ?? [];
    this.stops = account?.stops ?? [];
    this.refusals = account?.refusals ?? [];
  }

  /** The same account, over another instance. */
  at(app: Pick<App, "fetch">): History {
    return new History(app, this);
  }

  /** Asks in a conversation, or in a new one; undefined when it was refused. Rejects when nobody answers. */
  async ask(text: string, more: object = {}): Promise<Following | undefined> {
    const message = { clientMessageId: `message-${++count}`, text };
    const { clientMessageId } = message;
    const response = await this.post("/api/chat", { message: { text }, clientMessageId, ...more });
    if (!response.ok) return undefined;
    this.messages.push(message);
    return this.reading(await followStream(response), 0);
  }

  /** Says something to a run that goes on. */
  async steer(runId: string, text: string): Promise<Response> {
    const message = { clientMessageId: `message-${++count}`, text };
    const response = await this.post(`/api/runs/${runId}/messages`, { ...message, when: "next_turn" });
    if (response.ok) this.messages.push(message);
    return response;
  }

  async stop(runId: string): Promise<Response> {
    const response = await this.post(`/api/runs/${runId}/stop`, {});
    if (response.ok) this.stops.push({ runId, at: Date.now() });
    return response;
  }

  answer = (runId: string, answer: object): Promise<Response> =>
    this.post(`/api/runs/${runId}/answer`, answer);

  resume = (runId: string): Promise<Response> => this.post(`/api/runs/${runId}/resume`, {});

  async follow(runId: string, after = 0): Promise<Following> {
    return this.reading(await apiOf(this.app).follow(runId, after), after, runId);
  }

  private reading(following: Following, after: number, runId = following.runId): Following {
    this.streams.push({ runId, after, events: following.events });
    return following;
  }

  private async post(path: string, body: object): Promise<Response> {
    const response = await apiOf(this.app).send("POST", path, body);
    if (!response.ok)
      this.refusals.push({
        request: `POST ${path}`,
        status: response.status,
        body: await response.clone().text(),
      });
    return response;
  }
}
