"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import type { Chapter } from "@/lib/client/run/chapters";
import { showDuration } from "@/lib/client/run/durations";
import type { StepLoop } from "@/lib/client/run/run-step";
import { placeOn, type TimeAxis } from "@/lib/client/run/time-axis";
import { rowGrid } from "./step-row";

export interface StepGroupsProps {
  chapters: readonly Chapter<StepLoop>[];
  axis: TimeAxis;
  now: number;
  /** The step whose detail is open: the groups that it is in stay open. */
  picked: string | null;
  drawLoop(loop: StepLoop): ReactNode;
}

/** The agents of a workflow by their paths, with their rounds; each folds to one row. */
export function StepGroups({ chapters, ...rest }: StepGroupsProps) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const toggle = (path: string) => setFolded((before) => before.symmetricDifference(new Set([path])));
  return <Groups chapters={chapters} depth={0} {...{ ...rest, folded, toggle }} />;
}

interface GroupsProps extends StepGroupsProps {
  depth: number;
  folded: ReadonlySet<string>;
  toggle(path: string): void;
}

const Groups = ({ chapters, ...rest }: GroupsProps) =>
  chapters.map((chapter) => <Part key={chapter.path} chapter={chapter} {...rest} />);

function Part({ chapter, depth, ...rest }: Omit<GroupsProps, "chapters"> & { chapter: Chapter<StepLoop> }) {
  const t = useTranslations("chat.chapters");
  const group = { path: chapter.path, name: chapter.name, loops: loopsOf(chapter), depth, ...rest };
  switch (chapter.kind) {
    case "agent":
      return <Group {...group}>{chapter.loops.map(rest.drawLoop)}</Group>;
    case "group":
      return (
        <Group {...group}>
          <Groups {...rest} chapters={chapter.chapters} depth={depth + 1} />
        </Group>
      );
    case "rounds":
      return (
        <Group {...group}>
          {chapter.rounds.map(({ number, chapters }) => (
            <Group
              key={number}
              {...group}
              path={`${chapter.path}.${number}`}
              name={t("round", { number })}
              loops={chapters.flatMap(loopsOf)}
              depth={depth + 1}
            >
              <Groups {...rest} chapters={chapters} depth={depth + 2} />
            </Group>
          ))}
        </Group>
      );
  }
}

const loopsOf = (chapter: Chapter<StepLoop>): StepLoop[] => {
  switch (chapter.kind) {
    case "agent":
      return chapter.loops;
    case "group":
      return chapter.chapters.flatMap(loopsOf);
    case "rounds":
      return chapter.rounds.flatMap(({ chapters }) => chapters.flatMap(loopsOf));
  }
};

interface GroupProps extends Omit<GroupsProps, "chapters" | "drawLoop"> {
  path: string;
  name: string;
  loops: readonly StepLoop[];
  children: ReactNode;
}

function Group({ path, name, loops, depth, axis, now, picked, folded, toggle, children }: GroupProps) {
  const t = useTranslations("run");
  const isOpen = !folded.has(path) || (picked !== null && holds(loops, picked));
  const from = loops.reduce((first, loop) => Math.min(first, loop.from), now);
  const to = loops.reduce((last, loop) => Math.max(last, loop.to ?? now), from);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <section role="group" aria-label={name}>
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          className={cn(
            rowGrid,
            "relative -mx-2 w-[calc(100%+16px)] px-2 text-left text-micro leading-7 text-ink-3 -outline-offset-2 hover:bg-paper-2 phone:leading-11",
          )}
          onClick={() => toggle(path)}
        >
          <span className="flex min-w-0 items-center gap-1 rule-t" style={{ paddingLeft: depth * 12 }}>
            <Icon name={isOpen ? "chevronDown" : "chevronRight"} size={12} />
            <span className="truncate font-semibold">{name}</span>
            {!isOpen && <span className="whitespace-nowrap">{t("loops", { count: loops.length })}</span>}
          </span>
          <span className="relative rule-t">
            {!isOpen && (
              <i
                className="absolute inset-y-[11px] min-w-0.5 rounded-[1px] bg-ink-3 forced-color-adjust-none phone:inset-y-[18px]"
                style={{
                  left: `${placeOn(axis, from) * 100}%`,
                  width: `${(placeOn(axis, to) - placeOn(axis, from)) * 100}%`,
                }}
              />
            )}
          </span>
          <span className="text-right rule-t">{!isOpen && showDuration(to - from)}</span>
        </button>
      </h2>
      {isOpen && children}
    </section>
  );
}

const holds = (loops: readonly StepLoop[], key: string) =>
  loops.some(({ steps }) => steps.some((step) => step.key === key));
