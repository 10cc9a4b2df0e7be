"use client";

import { type DragEvent, type KeyboardEvent, type MouseEvent, type PointerEvent, useMemo } from "react";
import { useTranslations } from "use-intl";
import { useGo } from "@/components/ui/go";
import { notifyFailure } from "@/components/ui/toast";
import { chosenNow } from "./choosing";
import { drag } from "./drag";

/** What keys and long presses do with rows is fetched with the first of them. */
type RowActions = typeof import("./row-actions");

const moves = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "Home", "End", "x", "X"]);

/**
 * For what holds rows (`data-row`; of a conversation with its id): they have no handlers of their own, there are too many of
 * them. A click opens or, with a key held or while some are chosen, chooses.
 */
export function useRowEvents() {
  const go = useGo();
  const t = useTranslations("errors");
  return useMemo(() => {
    const act = (use: (actions: RowActions) => void) =>
      void import("./row-actions").then(use, () => notifyFailure(t("outdated")));
    return {
      onClick(event: MouseEvent<HTMLElement>) {
        const row = rowOf(event);
        if (!row?.dataset.row || event.button !== 0 || event.altKey || event.defaultPrevented) return;
        event.preventDefault();
        if (chosenNow() || event.shiftKey || event.metaKey || event.ctrlKey) {
          const { shiftKey } = event;
          act(({ chooseRow }) => chooseRow(row, shiftKey));
        } else go(row.pathname);
      },
      onKeyDown(event: KeyboardEvent<HTMLElement>) {
        const { key } = event;
        const row = rowOf(event);
        const isOurs = moves.has(key) || (key === " " && chosenNow() !== null && row?.dataset.row);
        if (!row || !isOurs || event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented)
          return;
        // Inside a folder it leads to its name; the name itself folds.
        if (key === "ArrowLeft" && !row.closest("[data-folder]")) return;
        event.preventDefault();
        const { shiftKey } = event;
        act(({ pressRow }) => pressRow(row, key, shiftKey));
      },
      onPointerDown(event: PointerEvent<HTMLElement>) {
        const row = rowOf(event);
        if (event.pointerType !== "touch" || !row?.dataset.row) return;
        // Or the browser would drag it away under the finger.
        row.draggable = false;
        const { clientX, clientY, timeStamp } = event;
        act(({ watchPress }) => watchPress(row, clientX, clientY, timeStamp));
      },
      onContextMenu(event: MouseEvent<HTMLElement>) {
        const { pointerType } = event.nativeEvent as globalThis.PointerEvent;
        if (pointerType === "touch" && rowOf(event)?.dataset.row) event.preventDefault();
      },
      onDragStart(event: DragEvent<HTMLElement>) {
        const row = rowOf(event);
        if (row?.dataset.row) drag(event, row.dataset.row);
      },
    };
  }, [go, t]);
}

/** What is dragged may be a text. */
const rowOf = ({ target }: { target: EventTarget }): HTMLAnchorElement | null =>
  target instanceof Element ? target.closest<HTMLAnchorElement>("a[data-row]") : null;
