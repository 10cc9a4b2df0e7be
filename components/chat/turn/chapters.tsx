"use client";

import { type ReactNode, useContext } from "react";
import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import {
  type AgentChapter,
  type Chapter,
  chaptersOf,
  outputOf,
  type RoundsChapter,
} from "@/lib/client/run/chapters";
import type { LoopView, RunView } from "@/lib/client/run/run-view";
import { DraftChanges } from "./draft-changes";
import { TurnForkContext } from "./fork-context";
import { forkOfLoop } from "./use-turn-fork";

export interface ChaptersProps {
  view: RunView;
  drawLoop(loop: LoopView): ReactNode;
}

/** The answer of a workflow: its agents by name, loops round by round, each folding like a chapter. */
export function Chapters({ view, drawLoop }: ChaptersProps) {
  const chapters = chaptersOf(view) ?? [];
  return <ChapterList chapters={chapters} drawLoop={drawLoop} last={view.loops.at(-1)} />;
}

interface ListProps {
  chapters: readonly Chapter[];
  drawLoop(loop: LoopView): ReactNode;
  /** The last of the answer, whose words its foot forks at. */
  last: LoopView | undefined;
  /** What the same agents wrote in the round before. */
  before?: { round: number; chapters: readonly Chapter[] } | undefined;
}

function ChapterList({ chapters, ...rest }: ListProps) {
  return chapters.map((chapter) => <Part key={chapter.path} chapter={chapter} {...rest} />);
}

function Part({ chapter, before, ...rest }: Omit<ListProps, "chapters"> & { chapter: Chapter }) {
  switch (chapter.kind) {
    case "agent":
      return <AgentPart chapter={chapter} before={before} {...rest} />;
    case "group":
      return (
        <Frame name={chapter.name}>
          <ChapterList {...rest} chapters={chapter.chapters} />
        </Frame>
      );
    case "rounds":
      return <Rounds chapter={chapter} {...rest} />;
  }
}

function Frame({ name, action, children }: { name: string; action?: ReactNode; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <section role="group" aria-label={name} className="[section+&]:mt-2">
      <div className="relative mt-1 mb-0.5">
        <h3 className="pr-8 text-micro font-semibold tracking-[0.02em] text-ink-3">{name}</h3>
        {action}
      </div>
      {children}
    </section>
  );
}

function AgentPart({
  chapter,
  before,
  drawLoop,
  last,
}: Omit<ListProps, "chapters"> & { chapter: AgentChapter }) {
  const earlier = before?.chapters.find(({ name }) => name === chapter.name);
  const end = chapter.loops.at(-1);
  return (
    <Frame name={chapter.name} action={end !== last && <WordsFork loop={end} />}>
      {chapter.loops.map(drawLoop)}
      {before && <DraftChanges before={outputOf(earlier)} now={outputOf(chapter)} round={before.round} />}
    </Frame>
  );
}

function WordsFork({ loop }: { loop: LoopView | undefined }) {
  const t = useTranslations("chat.foot");
  const onFork = forkOfLoop(loop, useContext(TurnForkContext));
  if (!onFork) return null;
  return (
    <IconButton
      icon="fork"
      iconSize={14}
      label={t("fork")}
      tipSide="right-edge"
      className="absolute -top-1 right-0 phone:-top-2"
      data-fork-words={loop?.number}
      onClick={onFork}
    />
  );
}

/** Rounds that are over are folded, except the last one, which holds what came out. */
function Rounds({ chapter, ...rest }: Omit<ListProps, "chapters"> & { chapter: RoundsChapter }) {
  const t = useTranslations("chat.chapters");
  const { rounds, end, name } = chapter;
  return (
    <Frame name={name}>
      {rounds.map(({ number, chapters }, at) => (
        <details key={number} className="my-1" open={at === rounds.length - 1}>
          <summary className="min-h-7 py-0.5 text-mach leading-6 rule-b [[open]>&]:mb-2">
            <b className="font-semibold">{t("round", { number })}</b>{" "}
            <span className="meta">{[...new Set(chapters.map((one) => one.name))].join(", ")}</span>
          </summary>
          <ChapterList
            {...rest}
            chapters={chapters}
            before={at > 0 ? { round: number - 1, chapters: rounds[at - 1]?.chapters ?? [] } : undefined}
          />
        </details>
      ))}
      {end && (
        <p className="mt-1 meta">
          {end.by === undefined
            ? t("endedByLimit", { count: end.rounds ?? rounds.length })
            : t("endedBy", { name, by: end.by, round: end.rounds ?? rounds.length })}
        </p>
      )}
    </Frame>
  );
}
