"use client";

import { type DragEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { notify, notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { changeConversation } from "@/lib/client/conversation/conversations";
import { findProject } from "@/lib/client/conversation/projects";
import type { ConversationItem } from "@/lib/protocol/http";

type Moved = Pick<ConversationItem, "id" | "title" | "projectId">;

/** Moves a conversation into a project, or out of it, and says so with a way back. */
export function useMove(): (item: Moved, to: string | null, name?: string) => Promise<void> {
  const t = useTranslations("projects");
  const common = useTranslations("common");
  const errorText = useErrorText();
  return async (item, to, name = findProject(to)?.name ?? "") => {
    const { id, title, projectId } = item;
    if (projectId === to) return;
    const move = (projectId: string | null) =>
      changeConversation(id, { projectId }).then(
        () => true,
        (error) => {
          notifyFailure(t("moveFailed", { title, reason: errorText(error) }));
          return false;
        },
      );
    if (!(await move(to))) return;
    notify(to === null ? t("movedOut", { title }) : t("moved", { title, project: name }), {
      label: common("undo"),
      run: () => void move(projectId),
    });
  };
}

const kind = "application/x-meguri-conversation";

/** For a row: what is dragged is this conversation. */
export const dragged = (item: Moved) => ({
  onDragStart: ({ dataTransfer }: DragEvent) => {
    const { id, title, projectId } = item;
    dataTransfer.setData(kind, JSON.stringify({ id, title, projectId }));
    dataTransfer.effectAllowed = "copyMove";
  },
});

/** For where a dragged conversation can be put down: a project, or null for none. */
export function useDropPlace(projectId: string | null) {
  const move = useMove();
  const [isOver, setOver] = useState(false);
  return {
    isOver,
    place: {
      onDragOver: (event: DragEvent) => {
        if (!event.dataTransfer.types.includes(kind)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "move";
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        const item = read(event.dataTransfer.getData(kind));
        if (!item) return;
        event.preventDefault();
        void move(item, projectId);
      },
    },
  };
}

/** Another page may drag something of the same kind. */
function read(data: string): Moved | undefined {
  try {
    const { id, title, projectId } = JSON.parse(data);
    return typeof id === "string" && typeof title === "string" ? { id, title, projectId } : undefined;
  } catch {
    return undefined;
  }
}
