import type { CallContext } from "@/lib/agent/ports";
import { type Resume, resumeWith, samplingsOf } from "@/lib/mcp/questions/input-required";
import type { Question, QuestionAnswer } from "@/lib/mcp/questions/pending-questions";
import { questionId } from "@/lib/mcp/questions/questions";
import { readSampling, type SamplingRequest } from "@/lib/mcp/questions/sampling";
import type { WaitReason } from "@/lib/protocol/chunk";
import type { ToolCall } from "@/lib/protocol/message";
import type { OpenCalls } from "@/lib/protocol/open-calls";
import { meaningOf } from "@/lib/protocol/questions";

/** Where answers to the questions of a call come from: people, through the log, and the model. */
export interface AnswerSource {
  /** The fold of the chain of logs. */
  open: OpenCalls;
  /** The server that offers a tool, by the tool's qualified name. */
  serverOf(tool: string): string;
  /** Where a person can sign in to a server, as an address of this application. */
  signInPage?: ((server: string) => string) | undefined;
  /** Has the model write what a server asks for, after a person's yes; a `CreateMessageResult`. Rejects with a sentence. */
  sample?: ((request: SamplingRequest, context: CallContext) => Promise<Record<string, unknown>>) | undefined;
}

/** The questions of a server in one call, and their answers, as the log has them. */
export class CallAnswers {
  /** Why the model could not write what it was asked for. */
  fault: string | undefined;

  constructor(
    private readonly call: ToolCall,
    private readonly context: CallContext,
    private readonly source: AnswerSource,
  ) {}

  /** The answer to a question of a call in flight; undefined while there is none. */
  async to(question: Question): Promise<QuestionAnswer | undefined> {
    if (question.mode !== "sampling") return this.answerTo(question.requestId)?.input;
    return this.written(question.requestId, question.request);
  }

  /** How a call with a stored state is sent again; undefined while answers are missing. */
  async toState(state: string): Promise<Resume | "declined" | undefined> {
    const samplings = samplingsOf(state);
    const isOpen = (requestId: string) => !this.answerTo(requestId);
    const texts = new Map<string, QuestionAnswer>();
    // The model is asked only once all answers have been given, so that it is asked once.
    if (resumeWith(state, (id) => (isOpen(id) ? undefined : anyAnswer)) === undefined) return undefined;
    for (const [requestId, request] of Object.entries(samplings)) {
      const written = await this.written(requestId, request);
      if (written) texts.set(requestId, written);
    }
    return resumeWith(state, (id) => (samplings[id] ? texts.get(id) : this.answerTo(id)?.input));
  }

  /** What a person said when asked to sign in; undefined where nobody was asked, or they have signed in. */
  toSignIn(): "open" | "declined" | undefined {
    const login = this.source.open.get(this.call.id)?.login;
    if (login === undefined) return undefined;
    const action = this.answerTo(login)?.input?.action;
    if (action === undefined) return "open";
    return action === "accept" ? undefined : "declined";
  }

  /** Asks a person to sign in; the call has not run. */
  async askToSignIn(server: string): Promise<{ waiting: WaitReason }> {
    const { id } = this.call;
    const url = this.source.signInPage?.(server);
    await this.context.emit({
      ...{ type: "input_request", requestId: questionId(id), id, server, mode: "url", reason: "login" },
      message: `${server} wants you to sign in. The call goes on when you have.`,
      ...(url && { url }),
    });
    return this.wait(false);
  }

  /** Writes the questions into the log that are not there yet. */
  async ask(questions: readonly Question[]): Promise<{ waiting: WaitReason }> {
    const { id, name, tool } = this.call;
    const asked = new Set(this.source.open.get(id)?.asked);
    const server = this.source.serverOf(name);
    for (const question of questions) {
      const { requestId } = question;
      if (asked.has(requestId)) continue;
      if (question.mode !== "sampling")
        await this.context.emit({ type: "input_request", id, server, ...question });
      else
        await this.context.emit({
          type: "approval_request",
          requestId,
          call: { type: "tool_call", id, name, server, ...(tool && { tool }), args: { ...question.request } },
          reason: "sampling",
        });
    }
    return this.wait(questions.some(({ mode }) => mode === "sampling"));
  }

  wait(forApproval: boolean): { waiting: WaitReason } {
    return { waiting: forApproval ? "awaiting_approval" : "awaiting_input" };
  }

  /** What the model has written, once a person allows it; they may have changed the request. */
  private async written(requestId: string, request: SamplingRequest): Promise<QuestionAnswer | undefined> {
    const answer = this.answerTo(requestId);
    if (!answer) return undefined;
    if (answer.input) return answer.input;
    const { sample } = this.source;
    if (meaningOf(answer)?.effect !== "run" || !sample) return { action: "decline" };
    const changed = answer.args && readSampling(answer.args);
    try {
      return { action: "accept", content: await sample(changed ?? request, this.context) };
    } catch (cause) {
      this.fault = `The model has written nothing: ${(cause as Error).message}`;
      return { action: "cancel", content: { message: this.fault } };
    }
  }

  private answerTo(requestId: string) {
    return this.source.open.get(this.call.id)?.answers[requestId];
  }
}

const anyAnswer: QuestionAnswer = { action: "accept" };
