"use client";

import { type ReactNode, useState } from "react";
import { forkKeys, isKeys } from "@/components/shell/keys";
import { Icon } from "@/components/ui/icon";

export interface LedgerLineProps {
  /** Of a call: its id. */
  call?: string;
  /** What stands on the thread; its state is also said in words among `children`, for readers. */
  node?: ReactNode;
  children: ReactNode;
  time: ReactNode;
  /** `none`: not even the line that it lies on. */
  bar: BarSpan | "none" | null;
  /** Opens without JavaScript, and is open on paper: for pages that are only read. */
  readOnly?: boolean;
  /** Said of it, right under its line. */
  below?: ReactNode;
  /** What opens in place. */
  detail: () => ReactNode;
  /** Takes the place of the detail while there is one. */
  panel?: ReactNode;
  /** Absent where nothing can be forked. */
  onFork?: (() => void) | undefined;
}

/** Where something lies in its loop, in parts of the 64 px. */
export interface BarSpan {
  from: number;
  to: number;
  tone?: "run" | "bad";
}

/** One line of machinery that opens in place. */
export function LedgerLine({ call, readOnly, below, detail, panel, onFork, ...content }: LedgerLineProps) {
  const [open, setOpen] = useState(false);
  if (readOnly)
    return (
      <>
        <details>
          <summary className="ledger-line">
            <LineContent {...content} />
          </summary>
          <div className={openedLook}>{detail()}</div>
        </details>
        {below}
      </>
    );
  return (
    <>
      <button
        type="button"
        className="ledger-line"
        data-call={call}
        aria-expanded={open || Boolean(panel)}
        {...(onFork && { "aria-keyshortcuts": forkKeys })}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (onFork && !event.repeat && isKeys(event.nativeEvent, forkKeys)) {
            event.preventDefault();
            onFork();
          } else moveBetweenLines(event);
        }}
      >
        <LineContent {...content} />
      </button>
      {below}
      {panel}
      {open && !panel && <div className={openedLook}>{detail()}</div>}
    </>
  );
}

const openedLook = "mb-2 animate-[appear_var(--fast)_var(--ease)] pt-1 text-mach";

function LineContent({
  node,
  children,
  bar,
  time,
}: Pick<LedgerLineProps, "node" | "children" | "bar" | "time">) {
  return (
    <>
      {node && <span data-cell="node">{node}</span>}
      {children}
      <span data-cell="bar" data-none={bar === "none" || undefined} aria-hidden="true">
        {bar && bar !== "none" && (
          <i
            data-tone={bar.tone}
            style={{ left: `${bar.from * 64}px`, width: `${(bar.to - bar.from) * 64}px` }}
          />
        )}
      </span>
      <span data-cell="time">{time}</span>
      <span data-cell="chevron">
        <Icon name="chevronRight" size={12} />
      </span>
    </>
  );
}

/** Up and down go from line to line. */
function moveBetweenLines(event: React.KeyboardEvent<HTMLButtonElement>): void {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step) return;
  const lines = [...document.querySelectorAll<HTMLElement>("button.ledger-line")];
  const next = lines[lines.indexOf(event.currentTarget) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
