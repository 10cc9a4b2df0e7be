import { useLayoutEffect, useRef } from "react";

/** As much as the fields take. */
const maxChars = 200;

/**
 * What is typed while a part with a field is still being fetched; nothing of it goes elsewhere. The part takes it, once,
 * when it takes the focus, in an effect before the browser paints. Escape calls `onCancel`. An input method is left alone: its text cannot be taken over.
 */
export function useTypedAhead(isWaiting: boolean, onCancel: () => void): () => string {
  const typed = useRef("");
  const cancel = useRef(onCancel);
  cancel.current = onCancel;
  // Before the next key, however busy the page is: an effect may come later.
  useLayoutEffect(() => {
    if (!isWaiting) return;
    typed.current = "";
    const press = (event: KeyboardEvent) => {
      const { key } = event;
      if (event.isComposing || event.keyCode === 229) return;
      if ((event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph")) return;
      if (key === "Escape") cancel.current();
      else if (key === "Backspace") typed.current = typed.current.slice(0, -1);
      else if (key.length === 1) typed.current = (typed.current + key).slice(0, maxChars);
      else if (key !== "Enter" && key !== "Tab") return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("keydown", press, true);
    return () => window.removeEventListener("keydown", press, true);
  }, [isWaiting]);
  return () => {
    const text = typed.current;
    typed.current = "";
    return text;
  };
}
