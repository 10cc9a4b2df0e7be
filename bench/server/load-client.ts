import { serveParent } from "@/bench/support/child";
import { type Question, readAnswer, type Seen } from "./read-answer";

/** Answers at once: of those that begin `gapMs` apart in all processes, every `of`-th, from the one with this number on. */
export interface LoadOrder {
  question: Question;
  size: number;
  gapMs: number;
  number: number;
  of: number;
}

/** What one process of several has seen. */
export interface LoadAnswer {
  seen: Seen[];
  /** In words, of each answer that did not come whole. */
  lost: string[];
  /** Of this process, ms. */
  cpuMs: number;
}

serveParent("ready", async ({ question, size, gapMs, number, of }: LoadOrder): Promise<LoadAnswer> => {
  const before = process.cpuUsage();
  const begin = async (index: number) => {
    await new Promise((resolve) => setTimeout(resolve, index * gapMs));
    return readAnswer(question);
  };
  const mine = Array.from({ length: size }, (_, index) => index).filter((index) => index % of === number);
  const answers = await Promise.allSettled(mine.map(begin));
  const { user, system } = process.cpuUsage(before);
  return {
    seen: answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : [])),
    lost: answers.flatMap((answer) => (answer.status === "rejected" ? String(answer.reason) : [])),
    cpuMs: (user + system) / 1_000,
  };
});
