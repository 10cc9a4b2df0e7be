import { type RefObject, useEffect } from "react";
import type { AppMode } from "@/lib/client/servers/app-session";

/**
 * Lays the element over the whole page, and back. It becomes a popover and stays where it is in the document: a frame
 * that is moved would start again.
 */
export function useFullscreen(
  section: RefObject<HTMLElement | null>,
  mode: AppMode,
  setMode: (mode: AppMode) => void,
): void {
  useEffect(() => {
    const element = section.current;
    if (mode !== "fullscreen" || !element) return;
    element.popover = "manual";
    element.showPopover();
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      setMode("inline");
    };
    window.addEventListener("keydown", press, true);
    return () => {
      window.removeEventListener("keydown", press, true);
      element.removeAttribute("popover");
    };
  }, [section, mode, setMode]);
}
