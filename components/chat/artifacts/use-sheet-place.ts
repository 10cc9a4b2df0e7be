import { useEffect, useState, useSyncExternalStore } from "react";
import { foldSide, useSide } from "@/components/shell/side";
import { readChoice, writeChoice } from "@/lib/client/conversation/drafts";

/** Of the room beside the sidebar, in percent. */
export const minShare = 45;
export const maxShare = 60;
const usualShare = 52;

/** Beside the sidebar there is no room for two sheets. */
const narrow = "(max-width: 1200px)";
/** Nor for two at all. */
const covering = "(max-width: 900px)";
const choice = "artifact.share";

export interface SheetPlace {
  /** It lies over the thread. */
  isCover: boolean;
  share: number;
  setShare(share: number): void;
  width: string;
}

/** Makes room for the sheet at the right of the window, for as long as it is there. */
export function useSheetPlace(isWhole: boolean, hasSide: boolean): SheetPlace {
  const [share, setShare] = useState(() => clamp(Number(readChoice(choice) ?? usualShare)));
  const isNarrow = useMedia(narrow);
  const isCover = useMedia(covering) || isWhole;
  const { closed } = useSide({ closed: true, drawer: false });
  const side = hasSide && !closed ? "var(--side)" : "0px";
  const width = isCover ? "100%" : `calc((100vw - ${side}) * ${share / 100})`;
  useEffect(() => (isNarrow && hasSide ? foldSide() : undefined), [isNarrow, hasSide]);
  useEffect(() => {
    if (isCover) return hideRest();
    const { style } = document.body;
    style.setProperty("--sheet", width);
    return () => {
      style.removeProperty("--sheet");
    };
  }, [isCover, width]);
  return {
    ...{ isCover, share, width },
    setShare: (next) => {
      const kept = clamp(next);
      setShare(kept);
      writeChoice(choice, String(kept));
    },
  };
}

const clamp = (share: number) => Math.min(maxShare, Math.max(minShare, share || usualShare));

/** What lies under it is not there for the keyboard and readers. */
function hideRest(): () => void {
  const rest = document.querySelector("main")?.closest("body > *");
  rest?.setAttribute("inert", "");
  return () => rest?.removeAttribute("inert");
}

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}
