"use client";

import { type ReactNode, useId } from "react";
import { useTranslations } from "use-intl";
import {
  type AgentChapter,
  type Chapter,
  chaptersOf,
  outputOf,
  type RoundsChapter,
} from "@/lib/client/run/chapters";
import type { LoopView, RunView } from "@/lib/client/run/run-view";
import { DraftChanges } from "./draft-changes";
import "./chapters.css";

export interface ChaptersProps {
  view: RunView;
  drawLoop(loop: LoopView): ReactNode;
}

/** The answer of a workflow: its agents by name, loops round by round, each folding like a chapter. */
export function Chapters({ view, drawLoop }: ChaptersProps) {
  const chapters = chaptersOf(view) ?? [];
  return <ChapterList chapters={chapters} drawLoop={drawLoop} />;
}

interface ListProps {
  chapters: readonly Chapter[];
  drawLoop(loop: LoopView): ReactNode;
  /** What the same agents wrote in the round before. */
  before?: { round: number; chapters: readonly Chapter[] } | undefined;
}

function ChapterList({ chapters, ...rest }: ListProps) {
  return chapters.map((chapter) => <Part key={chapter.path} chapter={chapter} {...rest} />);
}

function Part({ chapter, before, ...rest }: Omit<ListProps, "chapters"> & { chapter: Chapter }) {
  switch (chapter.kind) {
    case "agent":
      return <AgentPart chapter={chapter} before={before} drawLoop={rest.drawLoop} />;
    case "group":
      return (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
        <section role="group" className="chapter" aria-label={chapter.name}>
          <h3 className="chapter-name">{chapter.name}</h3>
          <ChapterList {...rest} chapters={chapter.chapters} />
        </section>
      );
    case "rounds":
      return <Rounds chapter={chapter} {...rest} />;
  }
}

interface AgentPartProps {
  chapter: AgentChapter;
  before: ListProps["before"];
  drawLoop(loop: LoopView): ReactNode;
}

function AgentPart({ chapter, before, drawLoop }: AgentPartProps) {
  const id = useId();
  const earlier = before?.chapters.find(({ name }) => name === chapter.name);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <section role="group" className="chapter" aria-labelledby={id}>
      <h3 id={id} className="chapter-name">
        {chapter.name}
      </h3>
      {chapter.loops.map(drawLoop)}
      {before && <DraftChanges before={outputOf(earlier)} now={outputOf(chapter)} round={before.round} />}
    </section>
  );
}

/** Rounds that are over are folded, except the last one, which holds what came out. */
function Rounds({ chapter, ...rest }: Omit<ListProps, "chapters"> & { chapter: RoundsChapter }) {
  const t = useTranslations("chat.chapters");
  const { rounds, end, name } = chapter;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <section role="group" className="chapter" aria-label={name}>
      <h3 className="chapter-name">{name}</h3>
      {rounds.map(({ number, chapters }, at) => (
        <details key={number} className="round" open={at === rounds.length - 1}>
          <summary className="round-head">
            <b className="round-name">{t("round", { number })}</b>{" "}
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
        <p className="meta chapter-end">
          {end.by === undefined
            ? t("endedByLimit", { count: end.rounds ?? rounds.length })
            : t("endedBy", { name, by: end.by, round: end.rounds ?? rounds.length })}
        </p>
      )}
    </section>
  );
}
