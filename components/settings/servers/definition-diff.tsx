"use client";

import { lazy, Suspense } from "react";
import { useTranslations } from "use-intl";
import type { McpDefinition } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";

// Read with the first definition that differs.
const WordDiff = lazy(() => import("@/components/ui/code/word-diff"));
const LineDiff = lazy(() => import("@/components/ui/code/line-diff"));

/** Comparing longer texts word by word would hold the page up; they are laid under each other. */
const longestForWords = 20_000;

const parts = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const;

/** What differs between two definitions: texts word by word, the rest as lines of JSON. All of one without the other. */
export function DefinitionDiff({ before, now }: { before: McpDefinition | null; now: McpDefinition }) {
  const t = useTranslations("definitions");
  const differing = parts.filter((part) => write(before?.[part]) !== write(now[part]));
  if (before && differing.length === 0) return <p className="text-ink-3">{t("same")}</p>;
  return (
    <dl className="mt-1 grid gap-1 text-mach">
      {differing.map((part) => (
        <div key={part}>
          <dt className="text-micro leading-5 text-ink-3">{t(`parts.${part}`)}</dt>
          <dd>
            <Suspense fallback={<p className="text-ink-3">…</p>}>
              <Part isNew={before === null} before={before?.[part]} now={now[part]} />
            </Suspense>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Where there was no definition at all, nothing is marked as new. */
function Part({ isNew, before, now }: { isNew: boolean; before: unknown; now: unknown }) {
  const old = write(before);
  const text = write(now);
  const isText = typeof (now ?? before) === "string";
  if (isNew)
    return isText ? (
      <p className="diff leading-6">{text}</p>
    ) : (
      <pre className="diff font-mono text-[12px]/5">{text}</pre>
    );
  if (isText && old.length + text.length <= longestForWords) return <WordDiff before={old} now={text} />;
  return <LineDiff before={old} now={text} />;
}

function write(value: unknown): string {
  if (value === undefined || value === null) return "";
  return showInvisible(typeof value === "string" ? value : JSON.stringify(value, null, 2));
}
