"use client";

import { useDeferredValue, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { payloadLook } from "@/components/chat/parts/payload";
import { cn } from "@/components/ui/cn";
import { TextButton } from "@/components/ui/controls/text-button";
import { withBlocks } from "@/components/ui/redacted";
import { beginningOf, outsideMarks } from "@/lib/protocol/redacted-text";

/** Longer ones are folded, in characters. */
export const foldFrom = 64 * 1024;
const headLength = 4 * 1024;
const maxFound = 200;
const maxLine = 1_000;

/** A long result: its beginning, all of it on request, and the lines in which something is found. */
export function LongText({ text }: { text: string }) {
  const t = useTranslations("chat.tool");
  const [isWhole, setWhole] = useState(false);
  const [query, setQuery] = useState("");
  const sought = useDeferredValue(query.trim().toLowerCase());
  const found = useMemo(() => findLines(text, sought), [text, sought]);
  return (
    <div className="grid gap-2" data-long-text="">
      <p className="meta flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>{t("long", { size: Math.round(text.length / 1024) })}</span>
        <input
          type="search"
          className="field w-full max-w-80 flex-[1_1_10rem]"
          aria-label={t("searchResult")}
          placeholder={t("searchResult")}
          value={query}
          maxLength={200}
          onChange={(event) => setQuery(event.target.value)}
        />
        <TextButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {t(isWhole ? "showLess" : "showAll")}
        </TextButton>
      </p>
      {sought !== "" && (
        <p className="meta" role="status">
          {t("found", { count: found.length, max: maxFound })}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre className={cn(payloadLook, "max-h-[60vh]")} tabIndex={0}>
        {sought !== "" &&
          withBlocks(found.map(({ number, line }) => `${String(number).padStart(6)}  ${line}`).join("\n"))}
        {sought === "" && withBlocks(isWhole ? text : `${beginningOf(text, headLength)}…`)}
      </pre>
    </div>
  );
}

function findLines(text: string, sought: string): { number: number; line: string }[] {
  if (sought === "") return [];
  const found: { number: number; line: string }[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const where = line.toLowerCase().indexOf(sought);
    if (where < 0) continue;
    const from = outsideMarks(line, Math.max(0, where - maxLine / 2));
    found.push({ number: at + 1, line: line.slice(from, outsideMarks(line, from + maxLine)) });
    if (found.length === maxFound) break;
  }
  return found;
}
