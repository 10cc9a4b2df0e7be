"use client";

import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Skeleton } from "@/components/ui/skeleton";

/** The next ones are fetched when their place comes this near. */
const nearPx = 1_200;
/** Where nearly all are in projects, a page adds next to nothing to the list: so many are fetched until somebody scrolls. */
const maxUnasked = 5;

export interface ListEndProps {
  /** What scrolls. */
  list: RefObject<HTMLElement | null>;
  /** Another one after each page. */
  cursor: string;
  load(): Promise<void>;
}

/** Loads more of a list as somebody comes to its end. */
export default function ListEnd({ list, cursor, load }: ListEndProps) {
  const t = useTranslations("shell");
  const common = useTranslations("common");
  const end = useRef<HTMLDivElement>(null);
  const unasked = useRef(0);
  const [state, setState] = useState<"waits" | "asks" | "failed">("waits");
  const loadNext = () => load().then(undefined, () => setState("failed"));
  useEffect(() => {
    const scroller = list.current;
    const asked = () => {
      unasked.current = 0;
    };
    scroller?.addEventListener("scroll", asked, { passive: true });
    return () => scroller?.removeEventListener("scroll", asked);
  }, [list]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is near is looked at anew after each page
  useEffect(() => {
    if (!end.current || state !== "waits") return;
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        watch.disconnect();
        if (++unasked.current > maxUnasked) {
          unasked.current = 0;
          setState("asks");
        } else void loadNext();
      },
      { root: list.current, rootMargin: `0px 0px ${nearPx}px` },
    );
    watch.observe(end.current);
    return () => watch.disconnect();
  }, [list, cursor, state]);
  return (
    <div ref={end}>
      {state === "waits" ? (
        <Skeleton lines={3} label={common("loading")} />
      ) : (
        <button type="button" className="side-row" onClick={() => setState("waits")}>
          <span />
          <span className="truncate text-ink-3">{t(state === "failed" ? "olderFailed" : "older")}</span>
        </button>
      )}
    </div>
  );
}
