"use client";

import { useEffect, useRef, useState } from "react";
import { addressOfOpened, nothingOpened, type OpenedStep, readOpened } from "@/lib/client/run/opened-step";

/** So that arrows that are held down do not change the address more often than browsers allow. */
const restMs = 200;

/**
 * What is open of a run. It stands in the address, so that a reload and the way back open the same; the server is not asked for
 * that. For what is drawn once a run has been read: by then the address is that of its page.
 */
export function useOpened(): {
  opened: OpenedStep;
  /** Null closes it, and the next one begins with its first tab again. */
  openStep(step: string | null): void;
  setTab(tab: OpenedStep["tab"]): void;
} {
  const [opened, setOpened] = useState(() => readOpened(location.search));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = (next: OpenedStep, ms: number) => {
    setOpened(next);
    clearTimeout(timer.current);
    const write = () => history.replaceState(null, "", addressOfOpened(location.href, next));
    if (ms > 0) timer.current = setTimeout(write, ms);
    else write();
  };
  return {
    opened,
    openStep: (step) => {
      const isMoving = step !== null && opened.step !== null;
      show(step === null ? nothingOpened : { ...opened, step }, isMoving ? restMs : 0);
    },
    setTab: (tab) => show({ ...opened, tab }, 0),
  };
}
