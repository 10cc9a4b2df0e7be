"use client";

import { useDeferredValue, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { Field } from "@/components/ui/controls/field";
import { type LogFilter, type LogTail, writeTail } from "@/lib/client/servers/log-tail";
import { useServerLog } from "@/lib/client/servers/server-log";
import { LogLines } from "./log-lines";

const sources = ["stderr", "protocol", "host"] as const;

/** What the server wrote and what went between it and us, newest last, as it comes. */
export function ServerLog({ name, tall = false }: { name: string; tall?: boolean }) {
  const t = useTranslations("settings.servers");
  const words = useTranslations("server.log");
  const { tail, isCut } = useServerLog(name);
  const [held, setHeld] = useState<LogTail | null>(null);
  const [filter, setFilter] = useState<LogFilter>({
    sources: { stderr: true, protocol: true, host: true },
    text: "",
  });
  const applied = useDeferredValue(filter);
  const shown = held ?? tail;
  return (
    <div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2">
        <Filter filter={filter} onChange={setFilter} />
        <span className="flex-1" />
        <Button small aria-pressed={held !== null} onClick={() => setHeld(held || !tail ? null : tail)}>
          {words(held ? "goOn" : "pause")}
        </Button>
        <CopyButton label={words("copy")} text={() => (shown ? writeTail(shown, applied) : "")} />
      </div>
      <LogLines
        label={t("logTitle", { name })}
        empty={t("logEmpty")}
        tail={shown}
        filter={applied}
        isHeld={held !== null}
        isTall={tall}
      />
      <p className="min-h-5 text-micro leading-5 text-ink-3">
        {tail && words("shown", { count: (held ?? tail).count })}
        {held && tail && ` · ${words("newer", { count: tail.count - held.count })}`}
        {tail && tail.missed > 0 && ` · ${words("missed", { count: tail.missed })}`}
        {isCut && <span role="status"> · {words("cut")}</span>}
      </p>
    </div>
  );
}

function Filter({ filter, onChange }: { filter: LogFilter; onChange(filter: LogFilter): void }) {
  const t = useTranslations("server.log");
  return (
    <>
      <fieldset className="flex flex-wrap gap-x-3.5 text-mach" aria-label={t("sources")}>
        {sources.map((source) => (
          <label key={source} className="flex min-h-7 cursor-pointer items-center gap-1.5 phone:min-h-11">
            <input
              type="checkbox"
              checked={filter.sources[source]}
              onChange={({ target }) =>
                onChange({ ...filter, sources: { ...filter.sources, [source]: target.checked } })
              }
            />
            {t(source)}
          </label>
        ))}
      </fieldset>
      <Field
        className="min-w-30 shrink basis-50"
        label={t("find")}
        hideLabel
        type="search"
        placeholder={t("find")}
        value={filter.text}
        onChange={({ target }) => onChange({ ...filter, text: target.value })}
      />
    </>
  );
}
