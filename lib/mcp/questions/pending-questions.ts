import type { Answer } from "@/lib/protocol/answer";
import type { InputRequest } from "@/lib/protocol/chunk";
import type { SamplingRequest } from "./sampling";

/** What a server asks during a call: something of a person, or text of the model, which a person has to allow. */
export type Question = InputQuestion | SamplingQuestion;
export type InputQuestion = Omit<InputRequest, "type" | "id" | "server">;
export interface SamplingQuestion {
  requestId: string;
  mode: "sampling";
  request: SamplingRequest;
}
/** `content` of an accepted sampling is what the model has written, a `CreateMessageResult`. */
export type QuestionAnswer = NonNullable<Answer["input"]>;

/**
 * The open questions of one call in flight. The code that sends the call asks and waits; the run that watches the call
 * answers. After a question that may be another run than the one that started it.
 */
export class PendingQuestions {
  private readonly open = new Map<
    string,
    { question: Question; answer: PromiseWithResolvers<QuestionAnswer> }
  >();
  private nextQuestion = Promise.withResolvers<void>();

  /** Resolves with the person's answer; with `cancel` when the signal fires. */
  ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer> {
    const answer = Promise.withResolvers<QuestionAnswer>();
    const cancel = () => this.answer(question.requestId, { action: "cancel" });
    this.open.set(question.requestId, { question, answer });
    signal.addEventListener("abort", cancel, { once: true });
    this.nextQuestion.resolve();
    this.nextQuestion = Promise.withResolvers();
    return answer.promise.finally(() => signal.removeEventListener("abort", cancel));
  }

  pending(): Question[] {
    return [...this.open.values()].map(({ question }) => question);
  }

  answer(requestId: string, answer: QuestionAnswer): void {
    this.open.get(requestId)?.answer.resolve(answer);
    this.open.delete(requestId);
  }

  /** Resolves when the next question comes. */
  next(): Promise<void> {
    return this.nextQuestion.promise;
  }
}
