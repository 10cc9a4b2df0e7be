"use client";

import { usePathname } from "next/navigation";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { Skeleton } from "@/components/ui/skeleton";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import {
  loadOlderConversations,
  refreshConversations,
  useConversations,
} from "@/lib/client/conversation/conversations";
import { findProject, useProjects } from "@/lib/client/conversation/projects";
import type { ConversationItem } from "@/lib/protocol/http";
import { ConversationRow } from "./conversation-row";
import { type ConversationGroup, groupConversations } from "./group-conversations";
import { ProjectList } from "./project-list";
import { SideGroup } from "./side-group";
import { useDropPlace } from "./use-move";

export function ConversationList() {
  const t = useTranslations("shell");
  const common = useTranslations("common");
  const { data, error } = useConversations();
  // Not the route: a new conversation gets its address without a navigation.
  const pathname = usePathname();
  const current = /^\/c\/([^/]+)/.exec(pathname)?.[1];
  const project = /^\/p\/([^/]+)/.exec(pathname)?.[1];
  const loose = useLoose(data?.items);
  const { isOver, place } = useDropPlace(null);
  const groupName = useGroupName();
  const list = useRef<HTMLElement>(null);
  useScrollToCurrent(list, data?.items.find(({ id }) => id === current)?.id);
  return (
    <nav
      ref={list}
      className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 thin-bar"
      aria-label={t("conversations")}
    >
      <ProjectList
        current={{ ...(current !== undefined && { conversation: current }), ...(project && { project }) }}
      />
      {!data && !error && <Skeleton lines={8} label={common("loading")} />}
      {!data && error && (
        <div className="px-2 py-1 text-ink-2" role="alert">
          <p>{t("listFailed")}</p>
          <Button small tone="quiet" className="-ml-2" onClick={() => refreshConversations()}>
            {common("tryAgain")}
          </Button>
        </div>
      )}
      {data?.items.length === 0 && <p className="px-2 pt-3 pb-1 text-ink-3">{t("nothingYet")}</p>}
      <div {...place} className={cn("min-h-8 rounded-control pt-2", isOver && "outline outline-ink")}>
        {groupConversations(loose, new Date()).map((group) => (
          <SideGroup key={group.key} id={`side-${group.key}`} title={groupName(group)}>
            {group.items.map((item) => (
              <ConversationRow
                key={item.id}
                item={item}
                current={item.id === current}
                withTime={group.kind !== "pinned"}
              />
            ))}
          </SideGroup>
        ))}
      </div>
      {data?.nextCursor && <Older />}
    </nav>
  );
}

/** Those of no project; also of one that is not there any more, as far as that is known. */
function useLoose(items: readonly ConversationItem[] = []): readonly ConversationItem[] {
  const { data, error } = useProjects();
  return items.filter(
    ({ projectId }) => projectId === null || (data ? !findProject(projectId, data) : error !== undefined),
  );
}

/** Not `scrollIntoView`, which would move what is round the list as well. */
function useScrollToCurrent(list: RefObject<HTMLElement | null>, listed: string | undefined): void {
  useEffect(() => {
    const row = listed && list.current?.querySelector("[aria-current]");
    if (!list.current || !row) return;
    const [view, place] = [list.current.getBoundingClientRect(), row.getBoundingClientRect()];
    if (place.top < view.top) list.current.scrollTop += place.top - view.top;
    if (place.bottom > view.bottom) list.current.scrollTop += place.bottom - view.bottom;
  }, [list, listed]);
}

function Older() {
  const t = useTranslations("shell");
  const errorText = useErrorText();
  const [busy, setBusy] = useState(false);
  const load = async () => {
    setBusy(true);
    await loadOlderConversations().catch((error) => notifyFailure(errorText(error)));
    setBusy(false);
  };
  return (
    <button type="button" className="mt-2 side-row" aria-busy={busy} disabled={busy} onClick={load}>
      <span />
      <span className="truncate text-ink-3">{t("older")}</span>
    </button>
  );
}

function useGroupName(): (group: ConversationGroup) => string {
  const t = useTranslations("shell");
  const format = useFormatter();
  return ({ kind, day }) => {
    switch (kind) {
      case "pinned":
      case "today":
      case "yesterday":
        return t(kind);
      case "day":
        return format.dateTime(
          day,
          day.getFullYear() === new Date().getFullYear()
            ? { weekday: "long", day: "numeric", month: "long" }
            : { day: "numeric", month: "long", year: "numeric" },
        );
    }
  };
}
