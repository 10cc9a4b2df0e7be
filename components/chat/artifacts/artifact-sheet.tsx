"use client";

import { type KeyboardEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useTranslations } from "use-intl";
import { TextButton } from "@/components/ui/controls/text-button";
import { useSize } from "@/components/ui/words/use-size";
import type { Artifact } from "@/lib/client/run/artifacts";
import { type ArtifactKind, countLines } from "@/lib/client/text/artifact-of";
import type { ArtifactDesk, Opened } from "./artifact-desk";
import { ArtifactView } from "./artifact-view";
import { SheetEdge } from "./sheet-edge";
import { SheetHead, Versions } from "./sheet-head";
import { useArtifactWords } from "./use-artifact-words";
import { useSheetKeys } from "./use-sheet-keys";
import { useSheetPlace } from "./use-sheet-place";

export interface ArtifactSheetProps {
  desk: ArtifactDesk;
  opened: Opened;
}

/** The sheet beside the thread with the artifact that is open; nothing while that one is not known (yet). */
export default function ArtifactSheet({ desk, opened }: ArtifactSheetProps) {
  const all = useSyncExternalStore(desk.subscribe, desk.artifacts);
  const artifact = all.byId(opened.id);
  const id = artifact?.id ?? opened.id;
  const { number } = opened;
  // It has another id since its question is stored, which a reload finds.
  useEffect(() => {
    if (id !== opened.id) desk.open({ id, number });
  }, [desk, id, opened.id, number]);
  return artifact ? <Open key={artifact.id} desk={desk} opened={opened} artifact={artifact} /> : null;
}

interface OpenProps extends ArtifactSheetProps {
  artifact: Artifact;
}

function Open({ desk, opened, artifact }: OpenProps) {
  const { kind, language, versions } = artifact;
  const { name } = useArtifactWords()(artifact);
  const newest = versions.length - 1;
  const number = Math.min(opened.number ?? newest, newest);
  const { code = "", isGrowing = false } = versions[number] ?? {};
  const sheet = useRef<HTMLElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [isWhole, setWhole] = useState(false);
  const [showsCode, setShowsCode] = useState(false);
  const [running, setRunning] = useState<ReadonlySet<string>>(new Set());
  const place = useSheetPlace(isWhole, !desk.isShared);
  const runs = running.has(code) && !isGrowing;
  const step = (by: -1 | 1) => {
    const next = number + by;
    if (next < 0 || next > newest) return;
    desk.open({ id: artifact.id, number: next === newest ? null : next });
  };
  const onKey = useSheetKeys({ desk, sheet, step, isCover: place.isCover });
  return (
    <aside
      ref={sheet}
      tabIndex={-1}
      aria-label={name}
      className="group fixed inset-y-0 right-0 z-20 flex max-w-full flex-col border-l border-rule bg-raised outline-none data-dragged:[&_iframe]:pointer-events-none print:hidden"
      style={{ width: place.width }}
      onKeyDown={onKey}
    >
      {!place.isCover && <SheetEdge {...place} />}
      <SheetHead
        {...{ artifact, name, code, isWhole }}
        onWhole={() => setWhole(!isWhole)}
        onClose={() => desk.close()}
      />
      <div className="flex h-9 flex-none items-center gap-4 px-4 text-mach rule-b phone:h-11">
        <Views kind={kind} showsCode={showsCode || isGrowing} onChange={setShowsCode} />
        <span className="flex-1" />
        <Versions versions={versions} number={number} onStep={step} />
      </div>
      <div
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
        id={panelId}
        role="tabpanel"
        aria-label={name}
        className="min-h-0 flex-1 overflow-auto thin-bar focus-visible:-outline-offset-2"
      >
        <ArtifactView
          {...{ kind, code, language, name, isGrowing, showsCode, runs, scroller }}
          onRun={() => setRunning(new Set([...running, code]))}
          onRead={() => setShowsCode(true)}
        />
      </div>
      <Foot
        {...{ artifact, code, isGrowing }}
        runs={runs && !showsCode}
        onStop={() => setRunning(new Set([...running].filter((each) => each !== code)))}
      />
    </aside>
  );
}

const panelId = "artifact-panel";

interface ViewsProps {
  kind: ArtifactKind;
  showsCode: boolean;
  onChange(showsCode: boolean): void;
}

/** As what it is, or its code. Of code there is one view. */
function Views({ kind, showsCode, onChange }: ViewsProps) {
  const t = useTranslations("chat.artifact");
  const list = useRef<HTMLDivElement>(null);
  const views = kind === "code" ? ([true] as const) : ([false, true] as const);
  const press = (event: KeyboardEvent) => {
    if (event.altKey || (event.key !== "ArrowLeft" && event.key !== "ArrowRight") || kind === "code") return;
    event.preventDefault();
    onChange(!showsCode);
    list.current?.querySelector<HTMLElement>('[aria-selected="false"]')?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={t("views")}
      className="flex gap-4 self-stretch"
      onKeyDown={press}
    >
      {views.map((isCode) => {
        const isChosen = kind === "code" || isCode === showsCode;
        const word = t(isCode ? "code" : "preview");
        return (
          <button
            key={word}
            type="button"
            role="tab"
            aria-selected={isChosen}
            aria-controls={panelId}
            tabIndex={isChosen ? 0 : -1}
            data-word={word}
            className="keeps-bold content-center text-ink-3 hover:text-ink focus-visible:-outline-offset-2 aria-selected:font-semibold aria-selected:text-ink aria-selected:shadow-[inset_0_-2px_var(--ink)]"
            onClick={() => onChange(isCode)}
          >
            {word}
          </button>
        );
      })}
    </div>
  );
}

interface FootProps {
  artifact: Artifact;
  code: string;
  isGrowing: boolean;
  runs: boolean;
  onStop(): void;
}

function Foot({ artifact, code, isGrowing, runs, onStop }: FootProps) {
  const t = useTranslations("chat.artifact");
  const size = useSize();
  const { kind } = useArtifactWords()(artifact);
  const bytes = new Blob([code]).size;
  return (
    <footer className="flex min-h-9 flex-none items-center gap-3 px-4 text-micro text-ink-3 rule-t">
      <span role="status">{isGrowing ? t("writing") : runs ? t("running") : ""}</span>
      {runs && (
        <TextButton className="my-auto" onClick={onStop}>
          {t("stop")}
        </TextButton>
      )}
      <span className="flex-1" />
      <span className="truncate">{t("size", { kind, lines: countLines(code), size: size(bytes) })}</span>
    </footer>
  );
}
