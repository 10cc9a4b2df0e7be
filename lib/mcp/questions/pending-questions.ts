import type { Answer, InputRequest } from "@/lib/protocol/chunk";
import type { SamplingRequest } from "./sampling";

/** What a server wants while a call is under way: something of a person, or words of the model, to which a person agrees. */
export type Question = InputQuestion | SamplingQuestion;
export type InputQuestion = Omit<InputRequest, "type" | "id" | "server">;
export interface SamplingQuestion {
  requestId: string;
  mode: "sampling";
  request: SamplingRequest;
}
/** `content` of an accepted sampling is what the model has written, a `CreateMessageResult`. */
export type Said = NonNullable<Answer["input"]>;

/**
 * The questions of one call in flight. Who flies asks, and waits; who watches the call takes the questions, lets a person
 * answer, and may be another run by then.
 */
export class Inputs {
  private readonly open = new Map<string, { question: Question; said: PromiseWithResolvers<Said> }>();
  private news = Promise.withResolvers<void>();

  /** Resolves with what the person says; with `cancel` when the signal fires. */
  ask(question: Question, signal: AbortSignal): Promise<Said> {
    const said = Promise.withResolvers<Said>();
    const cancel = () => this.answer(question.requestId, { action: "cancel" });
    this.open.set(question.requestId, { question, said });
    signal.addEventListener("abort", cancel, { once: true });
    this.news.resolve();
    this.news = Promise.withResolvers();
    return said.promise.finally(() => signal.removeEventListener("abort", cancel));
  }

  pending(): Question[] {
    return [...this.open.values()].map(({ question }) => question);
  }

  answer(requestId: string, said: Said): void {
    this.open.get(requestId)?.said.resolve(said);
    this.open.delete(requestId);
  }

  /** Resolves when the next question comes. */
  next(): Promise<void> {
    return this.news.promise;
  }
}
