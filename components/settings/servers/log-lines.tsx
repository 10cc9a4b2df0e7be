"use client";

import { memo, useLayoutEffect, useMemo, useRef } from "react";
import { useFormatter } from "use-intl";
import { cn } from "@/components/ui/cn";
import { filterLines, type LogBlock, type LogFilter, type LogTail } from "@/lib/client/servers/log-tail";

export interface LogLinesProps {
  label: string;
  empty: string;
  tail: LogTail | undefined;
  filter: LogFilter;
  /** Nothing moves. */
  isHeld: boolean;
  /** As high as the window lets it be. */
  isTall: boolean;
}

/** Lines in blocks of a hundred, of which only the last renders again; it follows the end while the reader is at the end. */
export function LogLines({ label, empty, tail, filter, isHeld, isTall }: LogLinesProps) {
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is what moves the end
  useLayoutEffect(() => {
    const { current } = box;
    if (current && isAtEnd.current && !isHeld) current.scrollTop = current.scrollHeight;
  }, [tail, filter, isHeld]);
  return (
    <section
      ref={box}
      className={cn(
        "overflow-auto bg-paper-2 px-3 py-2 font-mono text-[12px] leading-[18px] whitespace-pre-wrap wrap-anywhere [scrollbar-width:thin]",
        isTall ? "h-[max(280px,100vh-380px)]" : "max-h-70",
      )}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 24;
      }}
    >
      {tail?.count === 0 && empty}
      {tail?.blocks.map((block) => (
        <Block key={block.id} block={block} filter={filter} />
      ))}
    </section>
  );
}

const Block = memo(function Block({ block, filter }: { block: LogBlock; filter: LogFilter }) {
  const format = useFormatter();
  const lines = useMemo(() => filterLines(block.lines, filter), [block, filter]);
  if (lines.length === 0) return null;
  return (
    <div
      className="[content-visibility:auto]"
      style={{ containIntrinsicSize: `auto ${lines.length * 18}px` }}
    >
      {lines.map((line) => (
        <div key={line.id}>
          <i className="text-ink-3 not-italic">
            {format.dateTime(new Date(line.at), { timeStyle: "medium", hourCycle: "h23" })}{" "}
          </i>
          {line.source !== "stderr" && <i className="text-ink-3 not-italic">{line.source} </i>}
          {line.text}
        </div>
      ))}
    </div>
  );
});
