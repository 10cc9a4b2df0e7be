"use client";

import { type RefObject, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { ReplayedAt } from "@/components/chat/parts/use-now";
import { ReadOnlyPlace, textsOf } from "@/components/chat/read-only-thread";
import { Loop } from "@/components/chat/turn/loop";
import { Turn } from "@/components/chat/turn/turn";
import { Choice } from "@/components/ui/controls/choice";
import type { RunView } from "@/lib/client/run/run-view";
import type { ReplayTurn } from "@/lib/client/run/share-replay";
import type { ShareSnapshot } from "@/lib/protocol/shares";
import { ReplayTrack, showTenths } from "./replay-track";
import { ShareDocument } from "./share-document";
import { modelNameOf } from "./share-meta";
import { type Replay, speeds, useReplay } from "./use-replay";
import { useReplayKeys } from "./use-replay-keys";

export interface ReplayProps {
  snapshot: ShareSnapshot;
  expiresAt: string | null;
  /** Scrolls, and is followed while it plays. */
  paper: RefObject<HTMLElement | null>;
}

/** A shared conversation as it came to be: what is not said yet is pale, and the player is at its foot. */
export default function SharedReplay({ snapshot, expiresAt, paper }: ReplayProps) {
  const replay = useReplay(snapshot);
  useReplayKeys(replay);
  const end = useRef<HTMLSpanElement>(null);
  useFollow(replay, end, paper);
  const { turns } = replay;
  const views = turns.map(({ turn }) => turn);
  return (
    <>
      <ShareDocument
        snapshot={snapshot}
        expiresAt={expiresAt}
        thread={
          <ReadOnlyPlace turns={views} withheld={snapshot.withheld}>
            <Turns replay={replay} snapshot={snapshot} end={end} />
          </ReadOnlyPlace>
        }
      />
      <Player replay={replay} />
    </>
  );
}

function Turns({
  replay: { turns, turn: current, view, at: now },
  snapshot,
  end,
}: {
  replay: Replay;
  snapshot: ShareSnapshot;
  end: RefObject<HTMLSpanElement | null>;
}) {
  const texts = textsFor(turns);
  return turns.map(({ turn }, at) => {
    const Text = texts[at];
    if (!Text) return null;
    const model = turn.answer?.model;
    const modelName = model ? modelNameOf(snapshot, model) : undefined;
    const isNow = at === current && view !== null && turn.answer !== null;
    const shown = isNow && turn.answer ? { ...turn, answer: { ...turn.answer, view } } : turn;
    return (
      <div key={turn.key} className={at > current ? "opacity-[.42]" : undefined}>
        <ReplayedAt value={isNow ? now : null}>
          <Turn turn={shown} Text={Text} modelName={modelName} />
        </ReplayedAt>
        {at === current && <span ref={end} />}
        {isNow && turn.answer && <NotYet whole={turn.answer.view} said={view} Text={Text} />}
      </div>
    );
  });
}

const known = new WeakMap<readonly ReplayTurn[], ReturnType<typeof textsOf>>();

/** Counted once for a copy. */
function textsFor(turns: readonly ReplayTurn[]) {
  const texts = known.get(turns) ?? textsOf(turns.map(({ turn }) => turn));
  known.set(turns, texts);
  return texts;
}

/** What is still to come: the rest of the loop that goes on, and the loops after it. */
function NotYet({
  whole,
  said,
  Text,
}: {
  whole: RunView;
  said: RunView;
  Text: ReturnType<typeof textsOf>[number];
}) {
  const last = said.loops.length - 1;
  const own = whole.loops[last];
  const rest = own?.items.slice(said.loops[last]?.items.length) ?? [];
  return (
    <div className="pl-(--gutter) opacity-[.42]">
      {own && rest.length > 0 && (
        <div className="[&_.loop-ring]:invisible">
          <Loop
            loop={{ ...own, items: rest }}
            state="done"
            idleMs={whole.idleMs}
            isLast={false}
            Text={Text}
            readOnly
          />
        </div>
      )}
      {whole.loops.slice(last + 1).map((loop) => (
        <Loop
          key={loop.number}
          loop={loop}
          state="done"
          idleMs={whole.idleMs}
          isLast={false}
          Text={Text}
          readOnly
        />
      ))}
    </div>
  );
}

/** Keeps what is being said in sight, until the reader goes elsewhere. */
function useFollow(
  { isPlaying, ms }: Replay,
  end: RefObject<HTMLElement | null>,
  paper: RefObject<HTMLElement | null>,
): void {
  const follows = useRef(true);
  useEffect(() => {
    follows.current = isPlaying;
    const element = paper.current;
    const leave = () => {
      follows.current = false;
    };
    for (const name of ["wheel", "touchmove"]) element?.addEventListener(name, leave, { passive: true });
    return () => {
      for (const name of ["wheel", "touchmove"]) element?.removeEventListener(name, leave);
    };
  }, [isPlaying, paper]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever more is said
  useEffect(() => {
    if (!follows.current || !end.current || !paper.current) return;
    const below = end.current.getBoundingClientRect().bottom - paper.current.getBoundingClientRect().bottom;
    const player = 96;
    if (below > -player) paper.current.scrollTop += below + player;
  }, [ms]);
}

function Player({ replay }: { replay: Replay }) {
  const t = useTranslations("share.replay");
  const { isPlaying, ms, clock, speed, skipsWaits } = replay;
  return (
    <section
      aria-label={t("name")}
      className="sticky bottom-0 z-1 mt-auto flex min-h-[76px] flex-none items-center gap-5 border-t border-rule bg-paper px-6 py-1.5 phone:flex-wrap phone:gap-x-3 phone:px-4"
    >
      <div className="contents phone:order-1 phone:flex phone:basis-full">
        <button
          type="button"
          aria-label={t(isPlaying ? "pause" : "play")}
          aria-keyshortcuts="Space"
          className="grid size-10 flex-none cursor-pointer place-items-center rounded-full bg-ink text-paper phone:hidden"
          onClick={() => replay.play(!isPlaying)}
        >
          <PlayMark isPlaying={isPlaying} />
        </button>
        <ReplayTrack replay={replay} />
      </div>
      <button
        type="button"
        aria-label={t(isPlaying ? "pause" : "play")}
        className="order-2 hidden size-11 flex-none cursor-pointer place-items-center rounded-full bg-ink text-paper phone:grid"
        onClick={() => replay.play(!isPlaying)}
      >
        <PlayMark isPlaying={isPlaying} />
      </button>
      <div className="flex flex-none flex-col items-end gap-0.5 text-mach phone:order-3 phone:min-w-0 phone:flex-1 phone:flex-row phone:flex-wrap phone:items-center phone:justify-between phone:gap-0">
        <span className="tabular-nums">
          <b className="font-semibold">{showTenths(ms)}</b>{" "}
          <span className="text-ink-3">/ {showTenths(clock.duration)}</span>
        </span>
        <span className="flex items-center gap-3 phone:contents">
          <span className="phone:order-2 phone:basis-full">
            <Choice
              label={t("speed")}
              options={speeds.map((value) => ({ value: String(value), label: `${value}×` }))}
              value={String(speed)}
              onChange={(value) => replay.setSpeed(speeds.find((each) => String(each) === value) ?? 1)}
            />
          </span>
          <button
            type="button"
            aria-pressed={skipsWaits}
            aria-keyshortcuts="W"
            className="cursor-pointer text-micro leading-6 whitespace-nowrap text-ink-3 aria-pressed:font-semibold aria-pressed:text-ink phone:order-1 phone:min-h-11"
            onClick={() => replay.setSkipsWaits(!skipsWaits)}
          >
            {t("skipWaits")}
          </button>
        </span>
      </div>
    </section>
  );
}

function PlayMark({ isPlaying }: { isPlaying: boolean }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
      <path d={isPlaying ? "M4.5 3h2.2v10H4.5zM9.3 3h2.2v10H9.3z" : "M5 3v10l8-5z"} />
    </svg>
  );
}
