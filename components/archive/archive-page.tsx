"use client";

import { type ReactNode, useRef } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Bar } from "@/components/shell/bar";
import ListEnd from "@/components/shell/list-end";
import { tidy } from "@/components/shell/tidy";
import { Button } from "@/components/ui/controls/button";
import { LoadFailed } from "@/components/ui/load-failed";
import { NearLink } from "@/components/ui/near-link";
import { Skeleton } from "@/components/ui/skeleton";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useErrorText } from "@/components/ui/words/use-error-text";
import {
  loadOlderOfArchive,
  refreshConversations,
  useArchive,
} from "@/lib/client/conversation/conversations";
import type { ConversationItem } from "@/lib/protocol/http";

/** The conversations that were archived: opened as any other, brought back, deleted. */
export function ArchivePage() {
  const t = useTranslations("shell");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const { data, error } = useArchive();
  const page = useRef<HTMLDivElement>(null);
  const focusBack = useFocusBack(() => page.current?.querySelector("a")?.focus());
  const count = data?.counts?.archived ?? data?.items.length ?? 0;
  return (
    <>
      <title>{`${t("archived")} · Meguri`}</title>
      <Bar title={t("archived")} />
      <div ref={page} className="min-h-0 flex-1 overflow-y-auto" {...focusBack}>
        <div className="column pt-4 pb-12">
          {!data && !error && <Skeleton lines={6} height={44} label={common("loading")} />}
          {error && (
            <LoadFailed
              className="mb-4"
              text={data ? t("listOld", { reason: errorText(error) }) : t("archivePage.failed")}
              onRetry={refreshConversations}
            />
          )}
          {data && <Lede>{t(count > 0 ? "archivePage.about" : "archivePage.empty", { count })}</Lede>}
          <ul aria-label={t("archived")}>
            {data?.items.map((item) => (
              <Line key={item.id} item={item} />
            ))}
          </ul>
          {data?.nextCursor && <ListEnd list={page} cursor={data.nextCursor} load={loadOlderOfArchive} />}
        </div>
      </div>
    </>
  );
}

function Lede({ children }: { children: ReactNode }) {
  return <p className="mb-4 meta text-pretty">{children}</p>;
}

function Line({ item }: { item: ConversationItem }) {
  const t = useTranslations("shell");
  const format = useFormatter();
  const { id, title, updatedAt } = item;
  const day = { day: "numeric", month: "short", year: "numeric" } as const;
  return (
    <li className="row-height-11 flex min-h-11 items-center gap-3 rule-b">
      <NearLink href={`/c/${id}`} className="min-w-0 flex-1 truncate py-2 text-text text-ink no-underline">
        {title}
      </NearLink>
      <time className="text-micro text-ink-3 phone:hidden" dateTime={updatedAt}>
        {format.dateTime(new Date(updatedAt), day)}
      </time>
      <Button
        small
        tone="quiet"
        aria-label={t("archivePage.bringBackName", { title })}
        onClick={() => tidy({ action: "unarchive", items: [item] })}
      >
        {t("archivePage.bringBack")}
      </Button>
      <Button
        small
        tone="quiet"
        className="-mr-2"
        aria-label={t("archivePage.deleteName", { title })}
        onClick={() => tidy({ action: "delete", items: [item] })}
      >
        {t("delete")}
      </Button>
    </li>
  );
}
