import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";

export const panelWidth = 380;
const covering = "(max-width: 900px)";

/**
 * Makes room for a panel at the right of the window, or lays it over the page where there is none; Escape in it, or where nothing
 * has the focus, closes it, and the focus goes back to what has opened it.
 */
export function usePanelPlace(
  panel: RefObject<HTMLElement | null>,
  opener: RefObject<HTMLElement | null>,
  onClose: () => void,
): { isCover: boolean } {
  const isCover = useSyncExternalStore(listen, () => matchMedia(covering).matches);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    const { current: back } = opener;
    return () => {
      // After the rest of the page is there again for the keyboard.
      setTimeout(() => back?.isConnected && document.activeElement === document.body && back.focus());
    };
  }, [panel, opener]);
  useEffect(() => {
    if (isCover) {
      const rest = document.querySelector("main")?.closest("body > *");
      rest?.setAttribute("inert", "");
      return () => rest?.removeAttribute("inert");
    }
    const { style } = document.body;
    const before = style.getPropertyValue("--sheet");
    style.setProperty("--sheet", `${panelWidth}px`);
    return () => {
      if (before === "") style.removeProperty("--sheet");
      else style.setProperty("--sheet", before);
    };
  }, [isCover]);
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "Escape" || event.shiftKey || event.isComposing) return;
      if (document.querySelector("dialog[open], [role=menu]")) return;
      const { activeElement } = document;
      const isOurs =
        panel.current?.contains(activeElement) ||
        activeElement === document.body ||
        activeElement === opener.current;
      if (!isOurs) return;
      close.current();
      event.preventDefault();
      event.stopPropagation();
    };
    // Before the keys of the page, by which Escape stops an answer.
    window.addEventListener("keydown", press, true);
    return () => window.removeEventListener("keydown", press, true);
  }, [panel, opener]);
  return { isCover };
}

function listen(listener: () => void): () => void {
  const media = matchMedia(covering);
  media.addEventListener("change", listener);
  return () => media.removeEventListener("change", listener);
}
