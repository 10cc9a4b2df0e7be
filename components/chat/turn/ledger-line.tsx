"use client";

import { type ReactNode, useState } from "react";
import { Icon } from "@/components/ui/icon";

export interface LedgerLineProps {
  /** Of a call: its id. */
  call?: string;
  /** What stands on the thread; its state is also said in words among `children`, for readers. */
  node?: ReactNode;
  children: ReactNode;
  time: ReactNode;
  bar: BarSpan | null;
  /** Opens without JavaScript, and is open on paper: for pages that are only read. */
  readOnly?: boolean;
  /** Said of it, right under its line. */
  below?: ReactNode;
  /** What opens in place. */
  detail: () => ReactNode;
}

/** Where something lies in its loop, in parts of the 64 px. */
export interface BarSpan {
  from: number;
  to: number;
  tone?: "run" | "bad";
}

/** One line of machinery that opens in place. */
export function LedgerLine({ call, readOnly, below, detail, ...content }: LedgerLineProps) {
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
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        onKeyDown={moveBetweenLines}
      >
        <LineContent {...content} />
      </button>
      {below}
      {open && <div className={openedLook}>{detail()}</div>}
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
      <span data-cell="bar" aria-hidden="true">
        {bar && (
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
