"use client";

import { usePathname } from "next/navigation";
import { type RefObject, useEffect, useMemo, useRef } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { Skeleton } from "@/components/ui/skeleton";
import { useErrorText } from "@/components/ui/words/use-error-text";
import {
  loadOlderConversations,
  refreshConversations,
  useConversations,
} from "@/lib/client/conversation/conversations";
import { useProjects } from "@/lib/client/conversation/projects";
import type { ConversationItem } from "@/lib/protocol/http";
import type { ArchiveRowProps } from "./archive-row";
import { useChosen } from "./choosing";
import { useDropPlace } from "./drag";
import { type ConversationGroup, groupConversations } from "./group-conversations";
import type { ListEndProps } from "./list-end";
import { ProjectList } from "./project-list";
import { useRowEvents } from "./row-events";
import { Rows } from "./rows";
import { SideGroup } from "./side-group";
import { move } from "./tidy";
import { useRowFocus } from "./use-row-focus";
import { useRowWords } from "./use-row-words";

// Few have more than a page of conversations, or an archive.
const listEnd = latePart<ListEndProps>(() => import("./list-end"));
const archiveRow = latePart<ArchiveRowProps>(() => import("./archive-row"));
/** The list is of use without them. */
const goWithout = () => {};

export function ConversationList() {
  const t = useTranslations("shell");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const { data, error } = useConversations();
  // Not the route: a new conversation gets its address without a navigation.
  const pathname = usePathname();
  const current = /^\/c\/([^/]+)/.exec(pathname)?.[1];
  const project = /^\/p\/([^/]+)/.exec(pathname)?.[1];
  const archived = data?.counts?.archived ?? 0;
  const inArchive = pathname === "/archive";
  const ListEnd = useLatePart(listEnd, Boolean(data?.nextCursor), goWithout);
  const ArchiveRow = useLatePart(archiveRow, archived > 0 || inArchive, goWithout);
  const list = useRef<HTMLElement>(null);
  const focusBack = useRowFocus(list);
  useScrollToCurrent(list, data?.items.find(({ id }) => id === current)?.id);
  return (
    <nav
      ref={list}
      className="min-h-0 flex-1 scroll-pt-8 scroll-pb-11 overflow-y-auto px-2 thin-bar"
      aria-label={t("conversations")}
      {...useRowEvents()}
      {...focusBack}
    >
      <ProjectList
        current={{ ...(current !== undefined && { conversation: current }), ...(project && { project }) }}
      />
      {!data && !error && <Skeleton lines={8} label={common("loading")} />}
      {error && (
        <div className="px-2 py-1 text-ink-2" role={data ? "status" : "alert"}>
          <p>{data ? t("listOld", { reason: errorText(error) }) : t("listFailed")}</p>
          <Button small tone="quiet" className="-ml-2" onClick={() => refreshConversations()}>
            {common("tryAgain")}
          </Button>
        </div>
      )}
      {data?.items.length === 0 && <p className="px-2 pt-3 pb-1 text-ink-3">{t("nothingYet")}</p>}
      <Loose items={data?.items} current={current} />
      {ListEnd && data?.nextCursor && (
        <ListEnd list={list} cursor={data.nextCursor} load={loadOlderConversations} />
      )}
      {ArchiveRow && <ArchiveRow count={archived} current={inArchive} />}
    </nav>
  );
}

/** Those of no project, under the days of their last change; what is put down among them leaves its project. */
function Loose({
  items,
  current,
}: {
  items: readonly ConversationItem[] | undefined;
  current: string | undefined;
}) {
  const loose = useLoose(items);
  const chosen = useChosen();
  const words = useRowWords();
  const groupName = useGroupName();
  const { isOver, place } = useDropPlace((dropped) => move(dropped, null));
  // Anew at midnight, or rather with the first change after it.
  const today = new Date().toDateString();
  const groups = useMemo(() => groupConversations(loose, new Date(today)), [loose, today]);
  return (
    <div {...place} className={cn("min-h-8 rounded-control pt-2 pb-2", isOver && "outline outline-ink")}>
      {groups.map((group) => (
        <SideGroup key={group.key} id={`side-${group.key}`} title={groupName(group)} sticky>
          <Rows
            items={group.items}
            when={group.kind === "pinned" ? "nothing" : "time"}
            {...{ current, chosen, words }}
          />
        </SideGroup>
      ))}
    </div>
  );
}

/** Those of no project; also of one that is not there any more, as far as that is known. */
function useLoose(items: readonly ConversationItem[] = none): readonly ConversationItem[] {
  const { data, error } = useProjects();
  return useMemo(() => {
    const known = new Set(data?.items.map(({ id }) => id));
    return items.filter(
      ({ projectId }) => projectId === null || (data ? !known.has(projectId) : error !== undefined),
    );
  }, [items, data, error]);
}

const none: readonly ConversationItem[] = [];

/** Not `scrollIntoView`, which would move what is round the list as well. */
function useScrollToCurrent(list: RefObject<HTMLElement | null>, listed: string | undefined): void {
  useEffect(() => {
    const row = listed && list.current?.querySelector("[aria-current]");
    if (!list.current || !row) return;
    const [view, place] = [list.current.getBoundingClientRect(), row.getBoundingClientRect()];
    // Between the name of its day, which stays at the top, and the archive at the bottom.
    const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(list.current);
    const [top, bottom] = [
      view.top + parseFloat(scrollPaddingTop),
      view.bottom - parseFloat(scrollPaddingBottom),
    ];
    if (place.top < top) list.current.scrollTop += place.top - top;
    if (place.bottom > bottom) list.current.scrollTop += place.bottom - bottom;
  }, [list, listed]);
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
