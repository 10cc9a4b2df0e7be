"use client";

import { useEffect, useRef } from "react";
import { type Replay, speeds } from "./use-replay";

const secondMs = 1_000;

/** Space, arrows, Home, End, W and the speeds, anywhere on the page but where they mean something already. */
export function useReplayKeys(replay: Replay): void {
  const newest = useRef(replay);
  useEffect(() => {
    newest.current = replay;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : null;
      if (target?.closest("input, textarea, select, [contenteditable]")) return;
      if (event.key === " " && target?.closest("button, a, summary")) return;
      if (act(newest.current, event)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function act(replay: Replay, { key, shiftKey }: KeyboardEvent): boolean {
  const speed = speeds.find((each) => String(each) === key);
  if (speed !== undefined) replay.setSpeed(speed);
  else if (key === " ") replay.play(!replay.isPlaying);
  else if (key === "ArrowRight" || key === "ArrowLeft") {
    const by = key === "ArrowRight" ? 1 : -1;
    if (shiftKey) replay.step(by);
    else replay.seek(replay.ms + by * secondMs);
  } else if (key === "Home") replay.seek(0);
  else if (key === "End") replay.seek(replay.clock.duration);
  else if (key === "w" || key === "W") replay.setSkipsWaits(!replay.skipsWaits);
  else return false;
  return true;
}
