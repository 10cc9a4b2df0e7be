"use client";

import { memo, type PointerEvent, useRef } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Ring } from "@/components/ui/ring";
import { showClock, showDuration } from "@/lib/client/run/durations";
import type { ReplayClock } from "@/lib/client/run/replay-clock";
import type { Replay } from "./use-replay";

/** The time of a replay: rings for loops, a lane for the model, two for calls, hatches for waits; it is a slider. */
export function ReplayTrack({ replay: { clock, ms, seek } }: { replay: Replay }) {
  const t = useTranslations("share.replay");
  const track = useRef<HTMLDivElement>(null);
  const share = clock.duration === 0 ? 1 : ms / clock.duration;
  const toPointer = ({ clientX, buttons }: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (box && buttons === 1) seek(((clientX - box.left) / box.width) * clock.duration);
  };
  const number = clock.loops.findLast(({ at }) => at <= ms)?.number;
  const told = { at: showTenths(ms), end: showTenths(clock.duration) };
  return (
    <div
      ref={track}
      role="slider"
      tabIndex={0}
      aria-label={t("position")}
      aria-valuemin={0}
      aria-valuemax={Math.round(clock.duration)}
      aria-valuenow={Math.round(ms)}
      aria-valuetext={number === undefined ? t("at", told) : t("atLoop", { ...told, number })}
      className="relative h-[60px] min-w-0 flex-1 cursor-pointer touch-none select-none phone:h-14"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        toPointer(event);
      }}
      onPointerMove={toPointer}
    >
      <div className="absolute inset-0 opacity-[.36]">
        <Lanes clock={clock} />
      </div>
      <div className="absolute inset-0" style={{ clipPath: `inset(0 ${(1 - share) * 100}% 0 -12px)` }}>
        <Lanes clock={clock} />
      </div>
      <Labels clock={clock} />
      <div className="absolute top-2 h-11 w-0.5 -translate-x-px bg-ink" style={{ left: `${share * 100}%` }}>
        <span className="absolute -top-1 -left-[5px] size-3 rounded-full bg-ink" />
      </div>
    </div>
  );
}

const lanes = ["top-[22px] h-1.5", "top-[32px] h-1", "top-[38px] h-1"];

const Lanes = memo(function Lanes({ clock }: { clock: ReplayClock }) {
  const at = (ms: number) => `${(ms / Math.max(1, clock.duration)) * 100}%`;
  return (
    <>
      {[25, 34, 40].map((top) => (
        <span key={top} className="absolute inset-x-0 h-px bg-rule" style={{ top }} />
      ))}
      {clock.bars.map(({ from, to, lane, isFailed }) => (
        <span
          key={`${lane} ${from} ${to}`}
          className={cn(
            "absolute min-w-0.5",
            lanes[lane],
            isFailed ? "bg-shu" : lane === 0 ? "bg-ink" : "bg-ink-2",
          )}
          style={{ left: at(from), width: at(to - from) }}
        />
      ))}
      {clock.spans.map(
        ({ kind, from, to }) =>
          kind === "wait" &&
          to > from && (
            <span
              key={from}
              className="absolute top-5 h-6 bg-[repeating-linear-gradient(115deg,var(--shu)_0_1.5px,transparent_1.5px_5px)]"
              style={{ left: at(from), width: at(to - from) }}
            />
          ),
      )}
      {spaced(clock.loops, clock.duration, 0.025).map(({ at: ms, number }) => (
        <span key={ms} className="absolute top-0 -translate-x-1.5" style={{ left: at(ms) }}>
          <Ring state="done" size={14} />
          <span className="absolute inset-0 grid place-items-center text-[8px]/none font-semibold">
            {number}
          </span>
        </span>
      ))}
    </>
  );
});

const Labels = memo(function Labels({ clock }: { clock: ReplayClock }) {
  const t = useTranslations("share.replay");
  const at = (ms: number) => `${(ms / Math.max(1, clock.duration)) * 100}%`;
  const waits = clock.spans.filter(({ kind, from, to }) => kind === "wait" && to > from);
  const free = clock.loops.filter(
    ({ at: ms }) =>
      !waits.some(({ from, to }) => ms > from - clock.duration * 0.08 && ms < to + clock.duration * 0.04),
  );
  return (
    <div
      aria-hidden="true"
      className="absolute inset-x-0 bottom-0 text-micro leading-4 whitespace-nowrap text-ink-2"
    >
      {spaced(free, clock.duration * 0.94, 0.1).map(({ at: ms, number }) => (
        <span key={ms} className="absolute bottom-0" style={{ left: at(ms) }}>
          {t("loop", { number })}
        </span>
      ))}
      {waits.map(({ from, to, at: began, end }) => (
        <span
          key={from}
          className="absolute bottom-0 -translate-x-1/2 text-shu"
          style={{ left: at((from + to) / 2) }}
        >
          <span className="phone:hidden">{t("waited", { time: showDuration(end - began) })}</span>
          <span className="hidden phone:inline">{showDuration(end - began)}</span>
        </span>
      ))}
    </div>
  );
});

/** Those that have room, from the first on. */
function spaced<Mark extends { at: number }>(
  marks: readonly Mark[],
  duration: number,
  share: number,
): Mark[] {
  const kept: Mark[] = [];
  for (const mark of marks) {
    const last = kept.at(-1);
    if (mark.at <= duration && (!last || mark.at - last.at >= duration * share)) kept.push(mark);
  }
  return kept;
}

/** `0:06.6` */
export const showTenths = (ms: number): string => `${showClock(ms)}.${Math.floor((ms % 1_000) / 100)}`;
