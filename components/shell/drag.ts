"use client";

import { type DragEvent, useState } from "react";
import { listedConversations } from "@/lib/client/conversation/conversations";
import { chosenNow } from "./choosing";
import type { Moved } from "./tidy";

const kind = "application/x-meguri-conversations";

/** Drags a conversation, and with one that is chosen all that are. */
export function drag({ dataTransfer }: DragEvent, id: string): void {
  const chosen = chosenNow();
  const ids = chosen?.has(id) ? [...chosen] : [id];
  const items = listedConversations(ids).map(({ id, title, projectId }) => ({ id, title, projectId }));
  dataTransfer.setData(kind, JSON.stringify(items));
  dataTransfer.effectAllowed = "copyMove";
  if (items.length > 1) dataTransfer.setDragImage(countLabel(items.length), -12, -12);
}

/** How many hang on the pointer; the browser takes a picture of it and has no more need of it. */
function countLabel(count: number): HTMLElement {
  const label = document.createElement("div");
  label.textContent = String(count);
  label.className = "fixed -top-20 rounded-control bg-ink px-3 py-1 text-mach text-on-ink";
  document.body.append(label);
  setTimeout(() => label.remove());
  return label;
}

/** For where dragged conversations can be put down. */
export function useDropPlace(onDrop: (items: readonly Moved[]) => void) {
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
        const items = read(event.dataTransfer.getData(kind));
        if (items.length === 0) return;
        event.preventDefault();
        onDrop(items);
      },
    },
  };
}

/** Another page may drag something of the same kind. */
function read(data: string): Moved[] {
  try {
    const items: unknown[] = [JSON.parse(data)].flat();
    return items.flatMap((item) => {
      const { id, title, projectId } = item as Moved;
      return typeof id === "string" && typeof title === "string"
        ? { id, title, projectId: typeof projectId === "string" ? projectId : null }
        : [];
    });
  } catch {
    return [];
  }
}
