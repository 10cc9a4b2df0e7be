"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { iconButtonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { useLatePart } from "@/components/ui/late-part";
import { Menu } from "@/components/ui/layers/menu";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { notify, notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { changeConversation, deleteConversation } from "@/lib/client/conversation/conversations";
import { useProjects } from "@/lib/client/conversation/projects";
import type { ConversationItem } from "@/lib/protocol/http";
import { newProjectDialog } from "./new-project";
import { closeDrawer } from "./side";
import { useMove } from "./use-move";

/** How long a deleted conversation can be brought back; as long as the note about it stands. */
const graceMs = 6000;

export interface RowMenuProps {
  item: ConversationItem;
  current: boolean;
  onRename(): void;
}

export function RowMenu({ item, current, onRename }: RowMenuProps) {
  const t = useTranslations("shell");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const router = useRouter();
  const { id, title, pinned } = item;
  const move = useMoveEntry(item);
  const pin = () =>
    changeConversation(id, { pinned: !pinned }).catch((error) => notifyFailure(errorText(error)));
  const remove = () => {
    const undo = deleteConversation(id, graceMs, (error) =>
      notifyFailure(t("deleteFailed", { title, reason: errorText(error) })),
    );
    // The way back stands on the page, which an open drawer puts out of reach.
    closeDrawer();
    if (current) router.push("/");
    notify(t("deleted", { title }), { label: common("undo"), run: undo });
  };
  return (
    <>
      <Menu
        align="end"
        trigger={{
          className: cn(iconButtonClass, "absolute top-0 right-0 shy"),
          "aria-label": t("menuFor", { title }),
          children: <Icon name="more" size={14} />,
        }}
        entries={[
          { label: t("rename"), icon: "pencil", onSelect: onRename },
          { label: t(pinned ? "unpin" : "pin"), icon: "pin", onSelect: pin },
          move.entry,
          { kind: "rule" },
          { label: t("delete"), icon: "trash", onSelect: remove },
        ]}
      />
      {move.dialog}
    </>
  );
}

/** The projects to choose from, and a new one. */
function useMoveEntry(item: ConversationItem): { entry: MenuEntry; dialog: ReactNode } {
  const t = useTranslations("projects");
  const move = useMove();
  const { data } = useProjects();
  const [making, setMaking] = useState(false);
  const Dialog = useLatePart(newProjectDialog, making);
  const choice = (label: string, to: string | null): MenuEntry => ({
    kind: "choice",
    label,
    chosen: item.projectId === to,
    onSelect: () => void move(item, to),
  });
  const entry: MenuEntry = {
    kind: "sub",
    label: t("moveTo"),
    entries: [
      choice(t("noProject"), null),
      ...(data?.items.map(({ id, name }) => choice(name, id)) ?? []),
      { kind: "rule" },
      { label: t("newProjectEntry"), icon: "plus", onSelect: () => setMaking(true) },
    ],
  };
  const dialog = Dialog && (
    <Dialog
      onClose={() => setMaking(false)}
      onMade={({ id, name }) => {
        setMaking(false);
        void move(item, id, name);
      }}
    />
  );
  return { entry, dialog };
}
