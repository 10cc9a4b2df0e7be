"use client";

import { useTranslations } from "use-intl";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { fetchAhead } from "@/components/ui/late-part";
import type { RunView } from "@/lib/client/run/run-view";

/** Fetched with the first sign that somebody will copy. */
const writer = () =>
  Promise.all([import("@/lib/client/run/answer-markdown"), import("@/lib/client/text/told-words")]);

/** Copies the whole answer with its calls; the other button copies its last words. */
export function CopyMarkdown({ view }: { view: RunView }) {
  const t = useTranslations("chat.foot");
  const say = useTranslations("transcript");
  const write = async () => {
    const [{ answerMarkdown }, { toldWords }] = await writer();
    return answerMarkdown(view, toldWords(say));
  };
  return (
    <CopyButton
      label={t("copyMarkdown")}
      icon="timeline"
      text={write}
      onNear={() => fetchAhead({ read: writer })}
    />
  );
}
