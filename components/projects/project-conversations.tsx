"use client";

import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { LoadFailed } from "@/components/ui/load-failed";
import { NearLink } from "@/components/ui/near-link";
import { Ring } from "@/components/ui/ring";
import { Skeleton } from "@/components/ui/skeleton";
import {
  loadOlderOfProject,
  refreshConversations,
  useProjectConversations,
} from "@/lib/client/conversation/conversations";
import type { ConversationItem } from "@/lib/protocol/http";
import type { ProjectDetail } from "@/lib/protocol/projects";
import { lineLook, Part } from "./part";

export function ProjectConversations({ project }: { project: ProjectDetail }) {
  const t = useTranslations("projects.page");
  const projects = useTranslations("projects");
  const shell = useTranslations("shell");
  const common = useTranslations("common");
  const { data, error } = useProjectConversations(project.id);
  const items = [...(data?.items ?? [])]
    .filter(({ projectId }) => projectId === project.id)
    .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  return (
    <Part title={t("conversations")} note={items.length > 0 && t("newestFirst", { count: items.length })}>
      {!data && !error && <Skeleton lines={2} height={40} label={common("loading")} />}
      {!data && error && <LoadFailed text={projects("folderFailed")} onRetry={refreshConversations} />}
      {data && items.length === 0 && <p className="text-mach text-pretty text-ink-3">{t("nothing")}</p>}
      <ul>
        {items.map((item) => (
          <Line key={item.id} item={item} />
        ))}
      </ul>
      {data?.nextCursor && (
        <Button small tone="quiet" className="-ml-2" onClick={() => loadOlderOfProject(project.id)}>
          {shell("older")}
        </Button>
      )}
    </Part>
  );
}

const rings = { running: "run", waiting: "wait", failed: "failed", interrupted: "unknown" } as const;

function Line({ item: { id, title, status, updatedAt } }: { item: ConversationItem }) {
  const t = useTranslations("shell");
  const format = useFormatter();
  const marked = status === null || status === "completed" || status === "stopped" ? null : status;
  const waits = status === "waiting";
  return (
    <li className={cn(lineLook, "min-h-10")}>
      <span className="w-4 flex-none">
        {marked && <Ring state={rings[marked]} size={14} label={t(marked)} />}
      </span>
      <NearLink
        href={`/c/${id}`}
        className={cn(
          "min-w-0 flex-1 truncate py-2 text-text text-ink no-underline",
          waits && "font-semibold",
        )}
      >
        {title}
      </NearLink>
      {waits ? (
        <span className="text-micro font-semibold text-shu" aria-hidden="true">
          {t("waiting")}
        </span>
      ) : (
        <time className="text-micro text-ink-3" dateTime={updatedAt}>
          {format.dateTime(new Date(updatedAt), { day: "numeric", month: "short" })}
        </time>
      )}
    </li>
  );
}
