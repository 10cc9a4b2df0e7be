import { v7 as newId } from "uuid";
import { api, send } from "@/lib/client/http/http";
import type { ChatRequest } from "@/lib/client/http/stream";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import { emptyRun } from "@/lib/client/run/run-view";
import type { Answer, Decision, InputAction, StepEdit } from "@/lib/protocol/answer";
import type { PendingRequest } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { StoredFile } from "@/lib/protocol/message";
import { type SendOptions, toRequest } from "./chat-request";
import { attempt, ConversationChanges } from "./conversation-changes";
import type { Failure, QueueLine } from "./conversation-state";
import { type BranchColumn, ConversationStore } from "./conversation-store";
import type { MessageQueue } from "./message-queue";
import type { QueueChange, SayHow } from "./queue-lines";
import { loadRunCode } from "./run-code";
import { sendingTurn, toFailure } from "./turn-list";

/** A person's answer to an approval, a question of a server or a budget. */
export interface GivenAnswer {
  decision?: Decision;
  args?: Record<string, unknown>;
  reason?: string;
  /** For a server's question, with what was entered. */
  action?: InputAction;
  content?: Record<string, unknown>;
  /** For a call that waits in step mode. */
  payload?: StepEdit;
  /** Of a plan, what is left of it. */
  plan?: Answer["plan"];
  /** For a call outside of the plan: it belongs to it from now on. */
  addToPlan?: true;
}

/** The models that answer the last question beside each other, as far as the whole conversation acts on them. */
export interface ComparedColumns {
  /** Stops whichever has not ended. */
  stop(): Promise<void>;
}

/** What a person can do in a conversation. Whatever fails is told in the conversation's `failure`, in words. */
export class ChatStore {
  readonly conversation: ConversationStore;
  readonly changes: ConversationChanges;
  /** Null until they have been shown. */
  comparison: ComparedColumns | null = null;
  /** The message whose sending failed: sent again unchanged it keeps its id, so that it never counts twice. */
  private unsent: { content: string; clientMessageId: string } | null = null;
  /** A message is about to be sent: what reads its answer is on its way. */
  private isStarting = false;
  /** Stop was pressed before the run was known. */
  private stopWanted = false;

  constructor(id: string | null, column?: BranchColumn) {
    this.conversation = new ConversationStore(id, column);
    this.changes = new ConversationChanges(this.conversation);
  }

  get isBusy(): boolean {
    return this.isStarting || this.conversation.live !== null || this.state.liveRunId !== null;
  }

  /** Resolves to whether the server has the message; if not, the text is the caller's to keep. */
  async send(text: string, options: SendOptions, files: readonly StoredFile[] = []): Promise<boolean> {
    const { comparing, comparison, sending } = this.state;
    // Nothing says yet which of the answers it goes on with.
    if (comparison) return false;
    if (!comparing) return this.post(this.place, this.state.turns, { text, files }, options);
    if (this.isBusy || sending) return false;
    this.stopWanted = false;
    this.conversation.set({ sending: true, failure: null });
    const code = await import("./compare-models").catch(() => null);
    if (!code) {
      this.conversation.set({ sending: false, failure: await whyMissing() });
      return false;
    }
    return code.compareModels(this.conversation, comparing, { text, files }, options, {
      choiceSettled: this.changes.choiceSettled,
      isStopped: () => this.stopWanted,
    });
  }

  /**
   * Says something while an answer is written or waits: it goes into it, after it, or in its place. Resolves to whether the
   * server has it; if not, the text is the caller's to keep. `options` are for an answer that has ended meanwhile.
   */
  async say(
    asked: SayHow,
    text: string,
    options: () => Promise<SendOptions>,
    files: readonly StoredFile[] = [],
    isAgain = false,
  ): Promise<boolean> {
    this.conversation.set({ failure: null });
    // What waits for an answer waits for one alone; beside each other all are to hear it.
    const how = this.state.comparison ? "next_turn" : asked;
    let queue = this.conversation.knownQueue;
    try {
      queue ??= await this.conversation.queue();
      await queue.add(how, { text, files });
      if (how === "stop") await this.conversation.refresh();
      this.conversation.announce();
      return true;
    } catch (cause) {
      const failure = toFailure(cause);
      if (failure.code === "run_ended") {
        await this.conversation.refresh();
        if (!this.isBusy && !this.state.comparison)
          return this.sendAs(queue?.takeUnsent(), { text, files }, await options());
        // The next answer has begun since.
        if (!isAgain && this.isBusy) return this.say(how, text, options, files, true);
      }
      this.conversation.set({ failure });
      return false;
    }
  }

  /** Resolves to whether what waits was changed; if not, the `news` of the queue say why. */
  changeQueued(id: string, change: QueueChange): Promise<boolean> {
    return this.inQueue((queue) => queue.change(id, change));
  }

  takeBack(id: string): Promise<boolean> {
    return this.inQueue((queue) => queue.takeBack(id));
  }

  /** Asks what waits, without an answer that it could follow. */
  async askNow(line: QueueLine, options: SendOptions): Promise<boolean> {
    const files = line.attachments.map(
      ({ id: attachmentId, name, mimeType: mediaType, size }): StoredFile => ({
        ...{ type: "file", attachmentId, name, mediaType, size },
      }),
    );
    const sent = await this.sendAs(line.clientMessageId, { text: line.text, files }, options);
    await this.conversation.refresh();
    return sent;
  }

  /** Asks differently: a sibling of the question, in its own branch. */
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
    const answer = { view: emptyRun, model: options.model ?? null, agent, messageId: null, siblings: [] };
    const sent = await this.start({ regenerate: messageId }, { ...options, agent }, { ...turn, answer });
    if (!sent) this.conversation.showStored();
    return sent;
  }

  /** Answers again from a call that runs once more: a sibling of the answer that keeps what came before the call. */
  async runAgain(turn: TurnView, callId: ToolCallId, options: SendOptions): Promise<void> {
    const messageId = turn.answer?.messageId;
    if (!messageId || this.isBusy) return;
    const body = { regenerate: messageId, fromCall: callId };
    if (!(await this.start(body, { ...options, agent: null }))) this.conversation.showStored();
  }

  async stop(): Promise<void> {
    if (this.state.comparison && this.comparison) return this.comparison.stop();
    const runId = this.conversation.live?.run?.runId ?? this.state.liveRunId;
    if (runId) await attempt(this.conversation, () => postToRun(runId, "stop"));
    else if (this.isBusy || this.state.sending) this.stopWanted = true;
  }

  /** Gives up one call; the answer continues without it. */
  async cancelCall(callId: ToolCallId): Promise<void> {
    const runId = this.conversation.live?.run?.runId;
    if (runId) await attempt(this.conversation, () => postToRun(runId, "cancel", { callId }));
  }

  /** Ends a run that waits, without an answer. */
  async stopWaiting(runId: string): Promise<void> {
    await attempt(this.conversation, () => postToRun(runId, "stop"));
    await this.conversation.refresh();
    this.conversation.announce();
  }

  /** For the answer that goes on or waits, and for those after it. */
  async setStepping(isOn: boolean): Promise<void> {
    this.conversation.set({ isStepping: isOn });
    const last = this.state.turns.at(-1)?.answer?.view;
    const runId = this.conversation.live?.run?.runId ?? (last?.status === "waiting" ? last.runId : null);
    if (runId)
      await attempt(this.conversation, () =>
        api(`/api/runs/${runId}`, { method: "PATCH", body: { step: isOn } }),
      );
  }

  /** For the answers from the next question on. */
  setPlanning(isOn: boolean): void {
    this.conversation.set({ isPlanning: isOn });
  }

  /** The same for recording what goes over the wire. */
  setRecording(isOn: boolean): void {
    this.conversation.set({ isRecording: isOn });
  }

  /** From now on the calls of the plan that holds ask again. */
  async takePlanBack(runId: string): Promise<void> {
    await attempt(this.conversation, () =>
      api(`/api/runs/${encodeURIComponent(runId)}/plan`, { method: "DELETE" }),
    );
    // A live run says so in its stream.
    if (!this.isBusy) await this.conversation.refresh();
  }

  async answer(runId: string, asked: PendingRequest, given: GivenAnswer): Promise<void> {
    if (given.decision === "run_on") this.conversation.set({ isStepping: false });
    await this.continueRun(runId, "answer", { requestId: asked.requestId, ...given });
  }

  async resume(runId: string): Promise<void> {
    await this.continueRun(runId, "resume", {});
  }

  /** A new conversation is kept, or nothing of it is. */
  beTemporary(isTemporary: boolean): void {
    if (this.state.id === null && !this.isBusy) this.conversation.set({ isTemporary });
  }

  /** Shows another version of a message, with the branch behind it. */
  async showSibling(messageId: string): Promise<void> {
    await this.changes.showBranch(messageId);
  }

  /** Whoever asks in a branch that is only looked at goes on there. */
  private get place(): Pick<ChatRequest, "parentId"> {
    const { branchLeafId } = this.state;
    return branchLeafId === null ? {} : { parentId: branchLeafId };
  }

  private get state() {
    return this.conversation.getState();
  }

  private async inQueue(change: (queue: MessageQueue) => Promise<boolean>): Promise<boolean> {
    const queue = this.conversation.knownQueue;
    const done = queue !== null && (await change(queue));
    this.conversation.announce();
    return done;
  }

  private sendAs(
    clientMessageId: string | undefined,
    written: { text: string; files: readonly StoredFile[] },
    options: SendOptions,
  ): Promise<boolean> {
    return this.post(this.place, this.state.turns, written, options, clientMessageId);
  }

  private async post(
    place: Pick<ChatRequest, "parentId">,
    before: readonly TurnView[],
    { text, files }: { text: string; files: readonly StoredFile[] },
    options: SendOptions,
    known?: string,
  ): Promise<boolean> {
    if (this.isBusy) return false;
    const attachments = files.map(({ attachmentId }) => ({ id: attachmentId }));
    const message = { text, ...(attachments.length > 0 && { attachments }) };
    const content = JSON.stringify(message);
    const clientMessageId =
      known ?? (this.unsent?.content === content ? this.unsent.clientMessageId : newId());
    const turn = sendingTurn(clientMessageId, { text, files }, options);
    const shown = this.state.turns;
    this.conversation.set({ turns: [...before, turn] });
    const sent = await this.start({ ...place, message, clientMessageId }, options, turn);
    this.unsent = sent ? null : { content, clientMessageId };
    if (!sent) this.conversation.set({ turns: shown });
    return sent;
  }

  private async start(body: ChatRequest, options: SendOptions, turn?: TurnView): Promise<boolean> {
    this.stopWanted = false;
    this.conversation.set({ sending: true, failure: null });
    const { id, isTemporary, isStepping, isPlanning, isRecording } = this.state;
    const { agent: _, state: __, ...choice } = options;
    // From its first message on this is the choice of the conversation.
    if (id === null) this.conversation.set({ choice });
    this.isStarting = true;
    const code = await this.conversation.prepareRun().catch(() => null);
    // The server reads the conversation's assistant from it.
    await this.changes.choiceSettled;
    this.isStarting = false;
    if (!code) {
      this.conversation.set({ sending: false, failure: await whyMissing() });
      return false;
    }
    const follower = new code.RunFollower(
      {
        send: toRequest(body, id, {
          ...options,
          ...{ temporary: isTemporary, step: isStepping === true, plan: isPlanning, recordWire: isRecording },
        }),
      },
      turn,
    );
    return this.conversation.follow(follower, (run) => {
      void this.conversation.onStored(run, follower.turn?.key ?? run.messageId);
      if (this.stopWanted) void this.stop();
    });
  }

  /** An answer or a resume starts the run that continues this one, unless a live run has taken the answer. */
  private async continueRun(runId: string, verb: "answer" | "resume", body: object): Promise<void> {
    const { branchLeafId } = this.state;
    if (branchLeafId !== null && !(await this.changes.showBranch(branchLeafId))) return;
    const taken = await attempt(this.conversation, async () => {
      const { runId: next } = await postToRun<{ runId: string | null }>(runId, verb, body);
      const code = await loadRunCode();
      if (next && !this.isBusy) await this.conversation.follow(this.conversation.followerOf(code, next));
    });
    if (!taken || !this.isBusy) await this.conversation.refresh();
    this.conversation.announce();
  }
}

/** Why a part of the page cannot be fetched: there is no line, or it is gone, as a new version was installed. */
async function whyMissing(): Promise<Failure> {
  try {
    await send("/api/health", {});
    return { code: "outdated", message: "" };
  } catch (cause) {
    return toFailure(cause);
  }
}

const postToRun = <T>(runId: string, verb: string, body: object = {}) =>
  api<T>(`/api/runs/${encodeURIComponent(runId)}/${verb}`, { method: "POST", body });
