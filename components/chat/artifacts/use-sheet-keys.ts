import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
import { isKeys, versionKeys } from "@/components/shell/keys";
import type { ArtifactDesk } from "./artifact-desk";

export interface SheetKeysOptions {
  desk: ArtifactDesk;
  sheet: RefObject<HTMLElement | null>;
  step(by: -1 | 1): void;
  isCover: boolean;
}

/**
 * The keys of the sheet and its focus: it comes here when the keyboard has opened it, or when nothing else is to be
 * seen, and goes back to the row. Escape closes from here and from its row; elsewhere it means what it always means.
 */
export function useSheetKeys({ desk, sheet, step, isCover }: SheetKeysOptions) {
  const latest = useRef(step);
  useEffect(() => {
    latest.current = step;
  });
  useEffect(() => {
    if (desk.takesFocus || isCover) sheet.current?.focus({ preventScroll: true });
    desk.takesFocus = false;
  }, [desk, sheet, isCover]);
  useEffect(() => {
    const element = sheet.current;
    return () => {
      const { activeElement } = document;
      const isLost = activeElement === document.body || element?.contains(activeElement);
      // After the rest of the page is there again for the keyboard.
      if (isLost) setTimeout(() => desk.opener?.isConnected && desk.opener.focus());
    };
  }, [desk, sheet]);
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.isComposing || document.querySelector("dialog[open], [role=menu]")) return;
      const { activeElement } = document;
      const isOurs =
        sheet.current?.contains(activeElement) ||
        activeElement === document.body ||
        activeElement === desk.opener;
      if (!isOurs) return;
      if (event.key === "Escape" && !event.shiftKey) desk.close();
      else if (isKeys(event, versionKeys.previous)) latest.current(-1);
      else if (isKeys(event, versionKeys.next)) latest.current(1);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    // Before the keys of the page, by which Escape stops an answer.
    window.addEventListener("keydown", press, true);
    return () => window.removeEventListener("keydown", press, true);
  }, [desk, sheet]);
  // Enter runs what is asked about, where the sheet itself has the focus.
  return (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.target !== sheet.current) return;
    sheet.current?.querySelector<HTMLElement>("[data-run]")?.click();
  };
}
