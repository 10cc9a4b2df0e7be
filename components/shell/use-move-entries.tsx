"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { useLatePart } from "@/components/ui/late-part";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { useProjects } from "@/lib/client/conversation/projects";
import { newProjectDialog } from "./new-project";
import { type Moved, move } from "./tidy";

/** The projects to move conversations to, and a new one; `dialog` asks for its name. */
export function useMoveEntries(items: readonly Moved[]): { entries: MenuEntry[]; dialog: ReactNode } {
  const t = useTranslations("projects");
  const { data } = useProjects();
  const [making, setMaking] = useState(false);
  const Dialog = useLatePart(newProjectDialog, making);
  const choice = (label: string, to: string | null): MenuEntry => ({
    kind: "choice",
    label,
    chosen: items.length > 0 && items.every(({ projectId }) => projectId === to),
    onSelect: () => move(items, to),
  });
  const entries: MenuEntry[] = [
    choice(t("noProject"), null),
    ...(data?.items.map(({ id, name }) => choice(name, id)) ?? []),
    { kind: "rule" },
    { label: t("newProjectEntry"), icon: "plus", onSelect: () => setMaking(true) },
  ];
  const dialog = Dialog && (
    <Dialog
      onClose={() => setMaking(false)}
      onMade={({ id, name }) => {
        setMaking(false);
        move(items, id, name);
      }}
    />
  );
  return { entries, dialog };
}
