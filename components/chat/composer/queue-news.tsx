"use client";

import { useTranslations } from "use-intl";
import { useSentence } from "@/components/ui/words/sentences";
import { useGap } from "@/components/ui/words/use-gap";
import type { QueueNews } from "@/lib/client/conversation/conversation-state";
import { newsLook } from "./message-field";

export interface QueueNewsProps {
  news: QueueNews;
}

/** What has become of a message that waited: to readers always, to be seen where it is not what was just pressed. */
export default function QueueNewsText({ news }: QueueNewsProps) {
  const t = useTranslations("chat.queue.news");
  const failure = useTranslations("chat.failure");
  const errors = useTranslations("errors");
  const inWords = useSentence();
  const gap = useGap();
  switch (news.kind) {
    case "failed": {
      const { code, message } = news.failure;
      return (
        <p className={newsLook}>
          <b className="font-semibold text-shu">{failure("failed")}</b>
          {gap}
          {code === "offline" ? errors("offline") : inWords(message)}
        </p>
      );
    }
    case "moved":
      return <p className="sr-only">{t("moved", { place: news.place, count: news.count })}</p>;
    case "tooLate":
    case "askedNext":
    case "notSteered":
    case "delivered":
      return <p className={newsLook}>{t(news.kind)}</p>;
    case "after":
    case "next_turn":
    case "stop":
    case "takenBack":
    case "read":
      return <p className="sr-only">{t(news.kind)}</p>;
  }
}
