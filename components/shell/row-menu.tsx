"use client";

import { type ComponentProps, useEffect } from "react";
import { useTranslations } from "use-intl";
import { fetchAhead } from "@/components/ui/late-part";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import MenuSurface from "@/components/ui/layers/menu-surface";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { changeConversation } from "@/lib/client/conversation/conversations";
import type { ConversationItem } from "@/lib/protocol/http";
import { setChosen } from "./choosing";
import { tidy } from "./tidy";
import { useMoveEntries } from "./use-move-entries";

export interface RowMenuProps {
  item: ConversationItem;
  trigger: ComponentProps<"button">;
  byKeyboard: boolean;
  onRename(): void;
}

/** What most entries go on to. */
const likely = [() => import("./rename-field"), () => import("./tidier")];

/** What can be done with one conversation; open from the start. */
export default function RowMenu({ item, trigger, byKeyboard, onRename }: RowMenuProps) {
  const t = useTranslations("shell");
  const projects = useTranslations("projects");
  const errorText = useErrorText();
  const { id, pinned } = item;
  const move = useMoveEntries([item]);
  useEffect(() => {
    for (const read of likely) fetchAhead({ read });
  }, []);
  const pin = () =>
    changeConversation(id, { pinned: !pinned }).catch((error) => notifyFailure(errorText(error)));
  const entries: MenuEntry[] = [
    { label: t("rename"), icon: "pencil", onSelect: onRename },
    { label: t(pinned ? "unpin" : "pin"), icon: "pin", onSelect: pin },
    { kind: "sub", label: projects("moveTo"), entries: move.entries },
    { label: t("archive"), icon: "archive", onSelect: () => tidy({ action: "archive", items: [item] }) },
    { label: t("choose"), icon: "check", onSelect: () => setChosen(new Set([id])) },
    { kind: "rule" },
    { label: t("delete"), icon: "trash", onSelect: () => tidy({ action: "delete", items: [item] }) },
  ];
  return (
    <>
      <MenuSurface align="end" trigger={trigger} entries={entries} byKeyboard={byKeyboard} />
      {move.dialog}
    </>
  );
}
