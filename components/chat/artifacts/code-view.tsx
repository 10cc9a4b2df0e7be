import { memo, type RefObject, useLayoutEffect, useMemo, useRef } from "react";
import { Code } from "@/components/chat/markdown/code-pieces";
import { countLines } from "@/lib/client/text/artifact-of";
import { cutCode } from "@/lib/client/text/markdown-pieces";

export interface CodeViewProps {
  code: string;
  language: string;
  isGrowing: boolean;
  /** What scrolls it. */
  scroller: RefObject<HTMLElement | null>;
}

/** The code of an artifact as in answers, with the numbers of its lines. While it is written one sees its end. */
export const CodeView = memo(function CodeView({ code, language, isGrowing, scroller }: CodeViewProps) {
  const pieces = useMemo(() => cutCode(code), [code]);
  const count = countLines(code);
  const numbers = useMemo(() => Array.from({ length: count }, (_, at) => at + 1).join("\n"), [count]);
  useFollow(scroller, code, isGrowing);
  return (
    <div className="flex min-w-max py-3 font-mono text-code">
      <pre
        aria-hidden="true"
        className="sticky left-0 w-11 flex-none bg-raised pr-3 text-right text-ink-3 select-none"
      >
        {numbers}
      </pre>
      <pre className="flex-1 pr-4">
        <Code pieces={pieces} language={language} open={isGrowing} />
      </pre>
    </div>
  );
});

/** How near the end counts as at the end, px. */
const nearEnd = 40;

function useFollow(scroller: RefObject<HTMLElement | null>, code: string, isGrowing: boolean): void {
  const height = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: more code is what makes it higher
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const wasAtEnd = element.scrollTop + element.clientHeight >= height.current - nearEnd;
    height.current = element.scrollHeight;
    if (isGrowing && wasAtEnd) element.scrollTop = element.scrollHeight;
  }, [scroller, code, isGrowing]);
}
