"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { AnswerReplay } from "@/lib/client/run/answer-replay";
import { placeAt, type ReplayClock, replayClock } from "@/lib/client/run/replay-clock";
import type { RunView } from "@/lib/client/run/run-view";
import { type ReplayTurn, replayTurns } from "@/lib/client/run/share-replay";
import type { ShareSnapshot } from "@/lib/protocol/shares";

export const speeds = [0.5, 1, 2, 4, 20] as const;
export type Speed = (typeof speeds)[number];

export interface Replay {
  turns: readonly ReplayTurn[];
  clock: ReplayClock;
  /** Of the replay, in ms. */
  ms: number;
  isPlaying: boolean;
  speed: Speed;
  skipsWaits: boolean;
  /** The turn that is being answered, and how far; null at its end. */
  turn: number;
  view: RunView | null;
  /** Epoch ms of it. */
  at: number | null;
  play(isPlaying: boolean): void;
  seek(ms: number): void;
  /** To the next moment at which something happens, or to the one before. */
  step(by: 1 | -1): void;
  setSpeed(speed: Speed): void;
  setSkipsWaits(skips: boolean): void;
}

/** A replay that stands at a time or plays. It asks nobody for anything: all of it is in the copy. */
export function useReplay(snapshot: ShareSnapshot): Replay {
  const turns = useMemo(() => replayTurns(snapshot), [snapshot]);
  const answers = useMemo(() => turns.map(({ events }) => new AnswerReplay(events)), [turns]);
  const [skipsWaits, setSkips] = useState(false);
  const clock = useMemo(() => replayClock(turns, skipsWaits), [turns, skipsWaits]);
  const [ms, setMs] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const now = useRef(0);
  const seek = (to: number) => {
    now.current = Math.min(clock.duration, Math.max(0, to));
    setMs(now.current);
  };
  useFrames(isPlaying, (elapsed) => {
    now.current = Math.min(clock.duration, now.current + elapsed * speed);
    setMs(isCalm() ? momentBefore(clock, now.current) : now.current);
    if (now.current >= clock.duration) setPlaying(false);
  });
  const { turn, at } = placeAt(clock, ms);
  return {
    ...{ turns, clock, ms, isPlaying, speed, skipsWaits, turn, at, seek, setSpeed },
    view: at === null ? null : (answers[turn]?.viewAt(at) ?? null),
    play: (plays) => {
      if (plays && now.current >= clock.duration) seek(0);
      setPlaying(plays);
    },
    step: (by) => {
      setPlaying(false);
      const next = clock.moments.find((each) => each > ms + 0.5);
      const before = clock.moments.findLast((each) => each < ms - 0.5);
      seek(by > 0 ? (next ?? clock.duration) : (before ?? 0));
    },
    setSkipsWaits: (skips) => {
      // At the same moment of the run, which is at another time of the replay.
      const other = replayClock(turns, skips);
      const span = other.spans[clock.spans.findIndex(({ to }) => ms < to)];
      const own = clock.spans.find(({ to }) => ms < to);
      const share = own && own.to > own.from ? (ms - own.from) / (own.to - own.from) : 1;
      now.current = span ? span.from + share * (span.to - span.from) : other.duration;
      setMs(now.current);
      setSkips(skips);
    },
  };
}

/** With what has passed since the frame before, in ms. */
function useFrames(isOn: boolean, onFrame: (elapsed: number) => void): void {
  const newest = useRef(onFrame);
  useEffect(() => {
    newest.current = onFrame;
  });
  useEffect(() => {
    if (!isOn) return;
    let last: number | undefined;
    let frame = requestAnimationFrame(function draw(at) {
      // A page that was out of sight goes on where it was.
      if (last !== undefined) newest.current(Math.min(250, at - last));
      last = at;
      frame = requestAnimationFrame(draw);
    });
    return () => cancelAnimationFrame(frame);
  }, [isOn]);
}

/** Steps from event to event for whoever wants no motion. */
const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const momentBefore = ({ moments, duration }: ReplayClock, ms: number) =>
  ms >= duration ? duration : (moments.findLast((each) => each <= ms) ?? 0);
