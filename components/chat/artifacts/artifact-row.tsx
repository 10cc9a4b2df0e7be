"use client";

import { useContext, useMemo, useSyncExternalStore } from "react";
import { useTranslations } from "use-intl";
import type { FenceFrameProps } from "@/components/chat/markdown/fenced-code";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { fetchAhead } from "@/components/ui/late-part";
import { type ArtifactForm, countLines } from "@/lib/client/text/artifact-of";
import { type ArtifactDesk, Desk, readOpened } from "./artifact-desk";
import { artifactSheet } from "./late-sheet";
import { useArtifactWords } from "./use-artifact-words";

/** A document in the thread: what it is called, what it is, and whether it is open beside. What is none stays as it is. */
export function ArtifactRow({ code, open, children }: FenceFrameProps) {
  const desk = useContext(Desk);
  const shown = useMemo(() => code.trimEnd(), [code]);
  const found = useFound(desk, shown, open);
  return desk && found ? (
    <Row desk={desk} found={found} lines={countLines(shown)} isGrowing={open}>
      {children}
    </Row>
  ) : (
    children
  );
}

interface Found {
  id: string;
  number: number;
  isNewest: boolean;
  form: ArtifactForm;
}

/** Renders again when it has become another version, and not with each word of the answer. */
function useFound(desk: ArtifactDesk | null, code: string, open: boolean): Found | null {
  const read = () => {
    const all = desk?.artifacts();
    const found = open ? all?.growing : all?.find(code);
    if (!found) return "";
    const { artifact, number } = found;
    const { id, kind, name, language } = artifact;
    const isNewest = number === artifact.versions.length - 1;
    return JSON.stringify({ id, number, isNewest, form: { kind, name, language } } satisfies Found);
  };
  const text = useSyncExternalStore(desk?.subscribe ?? never, read, nothing);
  return useMemo(() => (text === "" ? null : (JSON.parse(text) as Found)), [text]);
}

const never = () => () => {};
const nothing = () => "";

interface RowProps {
  desk: ArtifactDesk;
  found: Found;
  lines: number;
  isGrowing: boolean;
  children: React.ReactNode;
}

function Row({ desk, found: { id, number, isNewest, form }, lines, isGrowing, children }: RowProps) {
  const t = useTranslations("chat.artifact");
  const { name, kind } = useArtifactWords()(form);
  const opened = readOpened(useSyncExternalStore(desk.onAddress, desk.address, nothing));
  const isOpen = opened?.id === id && (opened.number === null ? isNewest : opened.number === number);
  return (
    <div data-frame="">
      <button
        type="button"
        data-artifact=""
        aria-expanded={isOpen}
        className={cn(
          rowLook,
          isOpen ? "-mx-3 w-[calc(100%+24px)] bg-paper-2 px-3 print:bg-transparent" : "w-full",
        )}
        onPointerEnter={() => fetchAhead(artifactSheet)}
        onFocus={() => fetchAhead(artifactSheet)}
        onClick={(event) => {
          if (isOpen) return desk.close();
          desk.opener = event.currentTarget;
          desk.takesFocus = event.detail === 0;
          desk.open({ id, number: isNewest ? null : number });
        }}
      >
        <Icon name="document" className="text-ink-2" />
        <span className="min-w-0">
          <b className="block truncate text-[14px] font-semibold">{name}</b>
          <small className="block truncate text-micro text-ink-3">
            {t(isGrowing ? "growing" : "facts", { kind, lines, version: number + 1 })}
          </small>
        </span>
        {isOpen ? (
          <span className="text-ink-3 print:hidden">{t("open")}</span>
        ) : (
          <Icon name="chevronRight" size={12} className="text-ink-3 print:hidden" />
        )}
      </button>
      {/* For a page that is saved: there nothing opens. */}
      {desk.isShared && (
        <div hidden data-kept-code="">
          {children}
        </div>
      )}
    </div>
  );
}

const rowLook =
  "grid min-h-14 grid-cols-[16px_minmax(0,1fr)_auto] items-center gap-x-3 text-left text-mach rule-y";
