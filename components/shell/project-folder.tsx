"use client";

import { type KeyboardEvent, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { LoadFailed } from "@/components/ui/load-failed";
import { NearLink } from "@/components/ui/near-link";
import { Skeleton } from "@/components/ui/skeleton";
import {
  loadOlderOfProject,
  refreshConversations,
  useConversations,
  useProjectConversations,
} from "@/lib/client/conversation/conversations";
import { readChoice, writeChoice } from "@/lib/client/conversation/drafts";
import type { ProjectItem } from "@/lib/protocol/projects";
import { useChosen } from "./choosing";
import { useDropPlace } from "./drag";
import { Rows } from "./rows";
import { move } from "./tidy";
import { useRowWords } from "./use-row-words";

export interface ProjectFolderProps {
  project: ProjectItem;
  current: { conversation?: string; project?: string };
}

/** One project: its name leads to its page, left and right fold it, and conversations can be put down on it. */
export default function ProjectFolder({ project, current }: ProjectFolderProps) {
  const t = useTranslations("projects");
  const { id, name } = project;
  const [open, setOpen] = useFolded(id, current.conversation);
  const { isOver, place } = useDropPlace((items) => move(items, id));
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    event.preventDefault();
    setOpen(event.key === "ArrowRight");
  };
  const list = `folder-${id}`;
  return (
    <div
      {...place}
      data-folder=""
      className={cn("rounded-control", isOver && "bg-paper-3 outline outline-ink")}
    >
      <div className="relative">
        <NearLink
          href={`/p/${id}`}
          data-row=""
          className="side-row"
          aria-current={current.project === id ? "page" : undefined}
          onKeyDown={onKey}
        >
          <span />
          <span className={cn("truncate", current.project === id && "font-semibold text-ink")}>{name}</span>
          <State project={project} open={open} />
        </NearLink>
        <button
          type="button"
          className="absolute inset-y-0 left-0 grid w-7 place-items-center rounded-control text-ink-3 hover:text-ink phone:w-8"
          aria-expanded={open}
          aria-controls={open ? list : undefined}
          aria-label={t(open ? "fold" : "unfold", { name })}
          onClick={() => setOpen(!open)}
          onKeyDown={onKey}
        >
          <Icon name={open ? "chevronDown" : "chevronRight"} size={12} />
        </button>
      </div>
      {open && <Conversations id={list} project={project} current={current.conversation} />}
    </div>
  );
}

/** How many it has; folded, the one word that needs somebody. */
function State({ project: { conversations }, open }: { project: ProjectItem; open: boolean }) {
  const t = useTranslations("projects");
  const { waiting, failed } = conversations;
  const count = conversations.all - conversations.archived;
  if (!open && waiting + failed > 0)
    return (
      <span className="text-micro font-semibold text-shu">
        {waiting > 0 ? t("waiting", { count: waiting }) : t("failed", { count: failed })}
      </span>
    );
  return (
    <span className="text-micro text-ink-3">
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{t("count", { count })}</span>
    </span>
  );
}

function Conversations({
  id,
  project,
  current,
}: {
  id: string;
  project: ProjectItem;
  current?: string | undefined;
}) {
  const t = useTranslations("projects");
  const shell = useTranslations("shell");
  const common = useTranslations("common");
  const { data, error } = useProjectConversations(project.id);
  const chosen = useChosen();
  const words = useRowWords();
  const items = data?.items.filter(({ projectId }) => projectId === project.id);
  return (
    <div id={id} className="pl-4">
      {!items && !error && <Skeleton lines={2} label={common("loading")} />}
      {!items && error && (
        <LoadFailed className="px-2 py-1" text={t("folderFailed")} onRetry={refreshConversations} />
      )}
      {items?.length === 0 && <p className="px-2 py-1 text-ink-3">{t("folderEmpty")}</p>}
      {items && <Rows items={items} when="day" {...{ current, chosen, words }} />}
      {data?.nextCursor && (
        <button type="button" className="side-row" onClick={() => loadOlderOfProject(project.id)}>
          <span />
          <span className="truncate text-ink-3">{shell("older")}</span>
        </button>
      )}
    </div>
  );
}

/** Open or folded, as this browser remembers; the folder of the conversation on the screen opens once. */
function useFolded(id: string, conversation: string | undefined): [boolean, (open: boolean) => void] {
  const [open, show] = useState(false);
  const { data } = useConversations();
  const holdsCurrent = data?.items.some((item) => item.id === conversation && item.projectId === id) ?? false;
  useEffect(() => show(readChoice(`folder.${id}`) !== null), [id]);
  useEffect(() => {
    if (holdsCurrent) show(true);
  }, [holdsCurrent]);
  return [
    open,
    (next) => {
      writeChoice(`folder.${id}`, next ? "open" : null);
      show(next);
    },
  ];
}
