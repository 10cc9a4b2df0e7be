"use client";

import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { NearLink } from "@/components/ui/near-link";
import { useSentence } from "@/components/ui/words/sentences";
import { api } from "@/lib/client/http/http";
import type { ConversationItem } from "@/lib/protocol/http";
import type { ImportResult } from "@/lib/protocol/imports";
import { CountLine, LeftOutLine } from "./count-line";

const maxLinks = 5;

/** What has come, with ways to it, and what was left out. */
export function ImportDone({ result }: { result: ImportResult }) {
  const t = useTranslations("settings.data.import");
  const inWords = useSentence();
  const { imported, skipped, skippedCount, leftOut, conversationIds } = result;
  const came = useTitles(conversationIds);
  const rest = imported - came.length;
  const more = (
    <ul>
      {skipped.map(({ title, reason }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and titles may be the same.
        <li key={at} className="wrap-anywhere">
          {title || t("untitled")}: {inWords(reason)}
        </li>
      ))}
      {skippedCount > skipped.length && <li>{t("moreSkipped", { count: skippedCount - skipped.length })}</li>}
    </ul>
  );
  return (
    <>
      <p role="status">{t("done", { count: imported })}</p>
      {came.length > 0 && (
        <ul aria-label={t("came")} className="mb-1 grid gap-0.5">
          {came.map(({ id, title }) => (
            <li key={id} className="min-w-0">
              <NearLink
                href={`/c/${id}`}
                className="inline-block max-w-full truncate underline decoration-rule-2 underline-offset-3 hover:decoration-ink phone:leading-11"
              >
                {title || t("untitled")}
              </NearLink>
            </li>
          ))}
          {rest > 0 && <li className="text-micro text-ink-3">{t("moreCame", { count: rest })}</li>}
        </ul>
      )}
      <ul>
        <CountLine count={skippedCount} words={t("skipped", { count: skippedCount })} more={more} />
        <LeftOutLine leftOut={leftOut} />
      </ul>
    </>
  );
}

/** Of the first that have come; one that is deleted meanwhile has none. */
function useTitles(ids: readonly string[]): Pick<ConversationItem, "id" | "title">[] {
  const [items, setItems] = useState<ConversationItem[]>([]);
  useEffect(() => {
    let isShown = true;
    const read = (id: string) =>
      api<ConversationItem>(`/api/conversations/${encodeURIComponent(id)}?limit=1`).catch(() => undefined);
    void Promise.all(ids.slice(0, maxLinks).map(read)).then((found) => {
      if (isShown) setItems(found.filter((item) => item !== undefined));
    });
    return () => {
      isShown = false;
    };
  }, [ids]);
  return items;
}
