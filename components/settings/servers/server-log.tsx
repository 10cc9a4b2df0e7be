"use client";

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useErrorText } from "@/components/ui/use-error-text";
import { loadServerLog, type ServerLogLine } from "@/lib/client/servers";
import { useClock } from "./use-clock";

/** What the server wrote, newest last, renewed while it is looked at. */
export function ServerLog({ name }: { name: string }) {
  const t = useTranslations("settings.servers");
  const format = useFormatter();
  const errorText = useErrorText();
  const [lines, setLines] = useState<ServerLogLine[]>();
  const [failure, setFailure] = useState<string>();
  const tick = useClock(2000);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tick is what asks for it again
  useEffect(() => {
    const stop = new AbortController();
    loadServerLog(name, stop.signal).then(
      (found) => {
        setLines(found);
        setFailure(undefined);
      },
      (error) => stop.signal.aborted || setFailure(errorText(error)),
    );
    return () => stop.abort();
  }, [name, tick, errorText]);
  const end = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (lines?.length) end.current?.scrollTo({ top: end.current.scrollHeight });
  }, [lines?.length]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <section ref={end} className="log" aria-label={t("logTitle", { name })} tabIndex={0}>
      {failure ?? (lines?.length === 0 && t("logEmpty"))}
      {lines?.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity
        <div key={index}>
          <i>{format.dateTime(new Date(line.at), { timeStyle: "medium", hourCycle: "h23" })} </i>
          {line.source !== "stderr" && <i>{line.source} </i>}
          {line.text}
        </div>
      ))}
    </section>
  );
}
