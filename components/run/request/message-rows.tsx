"use client";

import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { Payload } from "@/components/chat/parts/payload";
import { cn } from "@/components/ui/cn";
import { TextButton } from "@/components/ui/controls/text-button";
import type { SentRow } from "@/lib/client/run/request-parts";
import { showInvisible } from "@/lib/protocol/show-invisible";

/** Rows that are drawn at first; the newest are what one looks for. */
const drawn = 200;
/** Characters of a row that is closed. */
const maxPreview = 300;

/** The messages in the order in which the model read them; what the turn before had not is marked and heavier. */
export function MessageRows({ rows }: { rows: readonly SentRow[] }) {
  const t = useTranslations("run.request");
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, rows.length - drawn);
  return (
    <>
      {hidden > 0 && (
        <p className="pl-5">
          <TextButton onClick={() => setWhole(true)}>{t("earlier", { count: hidden })}</TextButton>
        </p>
      )}
      {rows.slice(hidden).map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a request never changes
        <MessageRow key={hidden + at} row={row} />
      ))}
    </>
  );
}

function MessageRow({ row: { kind, name, text, tokens, isNew } }: { row: SentRow }) {
  const t = useTranslations("run.request");
  const format = useFormatter();
  const [open, setOpen] = useState(false);
  return (
    <div className="[contain-intrinsic-block-size:auto_28px] [content-visibility:auto]">
      <button
        type="button"
        aria-expanded={open}
        className="grid min-h-7 w-full grid-cols-[12px_minmax(72px,132px)_minmax(0,1fr)_auto] items-center gap-x-2 text-left hover:bg-paper-2 phone:min-h-11"
        onClick={() => setOpen(!open)}
      >
        <span aria-hidden={!isNew}>
          {isNew && (
            <>
              <span aria-hidden="true">+</span>
              <span className="sr-only">{t("isNew")}</span>
            </>
          )}
        </span>
        <span className={cn("truncate", isNew && "font-semibold", kind === "failed" && "text-shu")}>
          {name ? showInvisible(name) : t(`kind.${kind}`)}
        </span>
        <span className="truncate text-ink-2">{text.slice(0, maxPreview)}</span>
        <span className={cn("text-ink-2", isNew && "font-semibold text-ink")}>{format.number(tokens)}</span>
      </button>
      {open && (
        <div className="pb-2 pl-5">
          <Payload text={text} />
        </div>
      )}
    </div>
  );
}
