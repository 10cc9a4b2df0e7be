import type { KeyboardEvent, PointerEvent } from "react";
import { useTranslations } from "use-intl";
import { maxShare, minShare, type SheetPlace } from "./use-sheet-place";

/** The hairline between thread and sheet: it is dragged, or moved with the arrows. */
export function SheetEdge({ share, setShare }: Pick<SheetPlace, "share" | "setShare">) {
  const t = useTranslations("chat.artifact");
  const press = (event: KeyboardEvent) => {
    const next = { ArrowLeft: share + 1, ArrowRight: share - 1, Home: maxShare, End: minShare }[event.key];
    if (next === undefined || event.altKey) return;
    event.preventDefault();
    setShare(next);
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    const edge = event.currentTarget;
    const sheet = edge.parentElement;
    if (!sheet || event.button !== 0) return;
    edge.setPointerCapture(event.pointerId);
    const room = sheet.getBoundingClientRect().width / share;
    const move = ({ clientX }: globalThis.PointerEvent) =>
      setShare(Math.round((innerWidth - clientX) / room));
    const end = () => {
      edge.removeEventListener("pointermove", move);
      delete sheet.dataset.dragged;
    };
    // A frame would take the pointer.
    sheet.dataset.dragged = "";
    edge.addEventListener("pointermove", move);
    edge.addEventListener("lostpointercapture", end, { once: true });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule that is moved has no element
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t("edge")}
      aria-valuenow={share}
      aria-valuemin={minShare}
      aria-valuemax={maxShare}
      className="absolute inset-y-0 -left-1 z-1 w-2 cursor-col-resize touch-none hover:bg-paper-3 focus-visible:-outline-offset-1"
      onKeyDown={press}
      onPointerDown={drag}
    />
  );
}
