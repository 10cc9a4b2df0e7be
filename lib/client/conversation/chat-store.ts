import { v7 as newId } from "uuid";
import { api } from "@/lib/client/http/http";
import type { ChatRequest } from "@/lib/client/http/stream";
import { LiveRun } from "@/lib/client/run/live-run";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import { emptyRun } from "@/lib/client/run/run-view";
import type { Answer, PendingRequest } from "@/lib/protocol/chunk";
import type { ServerChoice } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { StoredFile } from "@/lib/protocol/message";
import { ConversationStore } from "./conversation-store";
import { sendingTurn, toFailure } from "./turn-list";

/** What goes along with a message. */
export interface SendOptions {
  model: string | null;
  /** Null: all that are ready. */
  servers: readonly string[] | null;
  /** By server, whether models find its tools by a search only; absent: as their entries say. */
  deferred?: Readonly<Record<string, boolean>>;
  /** The workflow agent that answers; null or absent: the model itself. */
  agent?: string | null;
}

/** What a person says to an approval. */
export interface Decision {
  decision?: NonNullable<Answer["decision"]>;
  args?: Record<string, unknown>;
  reason?: string;
  /** Of a server's question, with what was entered. */
  action?: NonNullable<Answer["input"]>["action"];
  content?: Record<string, unknown>;
}

/** A conversation and what a person can do in it. Whatever fails stands in `failure`, in words. */
export class ChatStore extends ConversationStore {
  /** The message whose sending failed: sent again unchanged it keeps its id, so that it never counts twice. */
  private unsent: { content: string; clientMessageId: string } | null = null;
  private choices: Promise<unknown> = Promise.resolve();

  /** Resolves to whether the server has the message; if not, the text is the caller's to keep. */
  async send(text: string, options: SendOptions, files: readonly StoredFile[] = []): Promise<boolean> {
    return this.post({}, this.state.turns, { text, files }, options);
  }

  /** Asks differently: a sibling of the question, in a branch of its own. */
  async edit(turn: TurnView, text: string, options: SendOptions): Promise<boolean> {
    const at = this.state.turns.indexOf(turn);
    const { question } = turn;
    if (at < 0 || !question) return false;
    const files = question.files.filter((file) => file.attachmentId !== undefined);
    const before = this.state.turns.slice(0, at);
    const agent = turn.answer?.agent ?? null;
    return this.post({ parentId: question.parentId }, before, { text, files }, { ...options, agent });
  }

  /** Answers the same question again, as a sibling of the answer. */
  async regenerate(turn: TurnView, options: SendOptions): Promise<boolean> {
    const messageId = turn.answer?.messageId ?? turn.question?.id;
    if (!messageId || this.isBusy) return false;
    const agent = turn.answer?.agent ?? null;
    const answer = { view: emptyRun, model: options.model, agent, messageId: null, siblings: [] };
    const live = new LiveRun({ ...turn, answer });
    const sent = await this.start({ regenerate: messageId }, live, { ...options, agent });
    if (!sent) this.rebuild();
    return sent;
  }

  /** Answers anew from a call on, which runs again: a sibling of the answer that keeps what stood before. */
  async runAgain(turn: TurnView, callId: ToolCallId, options: SendOptions): Promise<void> {
    const messageId = turn.answer?.messageId;
    if (!messageId || this.isBusy) return;
    const body = { regenerate: messageId, fromCall: callId };
    if (!(await this.start(body, new LiveRun(null), { ...options, agent: null }))) this.rebuild();
  }

  async stop(): Promise<void> {
    const runId = this.live?.run?.runId;
    if (runId) await this.act(() => api(runPath(runId, "stop"), { method: "POST", body: {} }));
    else if (this.live) this.live.stopWanted = true;
  }

  /** Gives up one call; the answer goes on without it. */
  async cancelCall(callId: ToolCallId): Promise<void> {
    const runId = this.live?.run?.runId;
    if (runId) await this.act(() => api(runPath(runId, "cancel"), { method: "POST", body: { callId } }));
  }

  /** Ends a run that waits, without an answer. */
  async stopWaiting(runId: string): Promise<void> {
    await this.act(() => api(runPath(runId, "stop"), { method: "POST", body: {} }));
    await this.refresh();
    this.announce();
  }

  async answer(runId: string, asked: PendingRequest, decision: Decision): Promise<void> {
    await this.goOn(runId, "answer", { requestId: asked.requestId, ...decision });
  }

  async resume(runId: string): Promise<void> {
    await this.goOn(runId, "resume", {});
  }

  /** Shows another version of a message; the branch behind it comes along. */
  async showSibling(messageId: string): Promise<void> {
    await this.change({ leafId: messageId });
  }

  async rename(title: string): Promise<void> {
    const before = this.state.title;
    this.set({ title });
    if (!(await this.change({ title }))) this.set({ title: before });
  }

  /** Holds from the next message on, in every browser; a conversation that is not stored yet takes it along with its first. */
  async choose(choice: ServerChoice): Promise<void> {
    const before = this.state.choice;
    this.set({ choice });
    if (this.state.id === null) return;
    this.choosing++;
    // One after the other: the last one is the one that stays.
    const saved = this.choices.then(() => this.change({ choice }));
    this.choices = saved;
    const done = await saved;
    this.choosing--;
    if (!done && this.state.choice === choice) this.set({ choice: before });
  }

  private async change(patch: { leafId?: string; title?: string; choice?: ServerChoice }): Promise<boolean> {
    const path = `/api/conversations/${encodeURIComponent(this.state.id ?? "")}`;
    const done = await this.act(() => api(path, { method: "PATCH", body: patch }));
    if (done) await this.refresh();
    if (done) this.announce();
    return done;
  }

  private async post(
    place: Pick<ChatRequest, "parentId">,
    before: readonly TurnView[],
    { text, files }: { text: string; files: readonly StoredFile[] },
    options: SendOptions,
  ): Promise<boolean> {
    if (this.isBusy) return false;
    const attachments = files.map(({ attachmentId }) => ({ id: attachmentId }));
    const message = { text, ...(attachments.length > 0 && { attachments }) };
    const content = JSON.stringify(message);
    const clientMessageId = this.unsent?.content === content ? this.unsent.clientMessageId : newId();
    const live = new LiveRun(sendingTurn(clientMessageId, { text, files }, options));
    const shown = this.state.turns;
    this.set({ turns: [...before, ...(live.turn ? [live.turn] : [])] });
    const sent = await this.start({ ...place, message, clientMessageId }, live, options);
    this.unsent = sent ? null : { content, clientMessageId };
    if (!sent) this.set({ turns: shown });
    return sent;
  }

  private start(body: ChatRequest, live: LiveRun, options: SendOptions): Promise<boolean> {
    this.set({ sending: true, failure: null });
    const { model, servers, deferred = {}, agent } = options;
    // What it begins with is its choice from then on.
    if (this.state.id === null) this.set({ choice: { servers, deferred } });
    const send: ChatRequest = {
      ...body,
      ...(this.state.id && { conversationId: this.state.id }),
      ...(model && { model }),
      ...(servers && { servers }),
      ...(Object.keys(deferred).length > 0 && { deferred }),
      ...(agent && { agent }),
    };
    return this.follow({ send }, live, (run) => {
      this.adopt(run, live.turn?.key ?? run.messageId);
      if (live.stopWanted) void this.stop();
    });
  }

  /** An answer or a resume starts the run that goes on; a live one that took the answer is read already. */
  private async goOn(runId: string, verb: "answer" | "resume", body: object): Promise<void> {
    const taken = await this.act(async () => {
      const { runId: next } = await api<{ runId: string | null }>(runPath(runId, verb), {
        method: "POST",
        body,
      });
      if (next && !this.isBusy) await this.follow({ runId: next }, new LiveRun(null, next));
    });
    if (!taken || !this.isBusy) await this.refresh();
    this.announce();
  }

  private async act(work: () => Promise<unknown>): Promise<boolean> {
    this.set({ failure: null });
    try {
      await work();
      return true;
    } catch (cause) {
      this.set({ failure: toFailure(cause) });
      return false;
    }
  }
}

const runPath = (runId: string, verb: string) => `/api/runs/${encodeURIComponent(runId)}/${verb}`;
