"use client";

import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { NearLink } from "@/components/ui/near-link";
import { useDropPlace } from "./drag";
import { tidy } from "./tidy";

export interface ArchiveRowProps {
  count: number;
  /** Whether the archive is on the screen. */
  current: boolean;
}

/** The last row of the list, in sight however long the list is: it leads to the archive, and takes what is put down on it. */
export default function ArchiveRow({ count, current }: ArchiveRowProps) {
  const t = useTranslations("shell");
  const { isOver, place } = useDropPlace((items) => tidy({ action: "archive", items }));
  return (
    <div {...place} className="sticky bottom-0 bg-paper-2 pb-2">
      <NearLink
        href="/archive"
        data-row=""
        className={cn("side-row", isOver && "bg-paper-3 outline outline-ink")}
        aria-current={current ? "page" : undefined}
      >
        <span>
          <Icon name="archive" size={14} />
        </span>
        <span className="truncate">{t("archived")}</span>
        <span className="text-micro text-ink-3">{count}</span>
      </NearLink>
    </div>
  );
}
