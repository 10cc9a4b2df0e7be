"use client";

import { useTranslations } from "use-intl";
import type { Answer } from "@/lib/protocol/answer";

/** What a person has said, in a word or two. */
export function useAnswerWord(): (answer: Answer) => string {
  const t = useTranslations("run.answer");
  return ({ decision, input }) => t(decision ?? input?.action ?? "accept");
}
