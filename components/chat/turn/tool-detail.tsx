"use client";

import { createContext, useContext, useState } from "react";
import { useTranslations } from "use-intl";
import { DataFlows } from "@/components/chat/parts/data-flows";
import { Payload } from "@/components/chat/parts/payload";
import { toolName } from "@/components/chat/parts/tool-name";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { TextButton } from "@/components/ui/controls/text-button";
import type { ToolView } from "@/lib/client/run/run-view";
import type { ToolCallId } from "@/lib/protocol/ids";
import { Pairs } from "./pairs";
import { RawResult, Result } from "./tool-result";
import { saidInLine } from "./tool-why";
import { useWithheld } from "./withheld";

/** Gives up a call that is under way; null where nobody may, as on a shared page. */
export const CallCanceller = createContext<((id: ToolCallId) => Promise<void>) | null>(null);

/** Answers anew from an ended call on, which runs again; null where it cannot, `busy` while something else runs. */
export const CallRunner = createContext<{ run(id: ToolCallId): void; busy: boolean } | null>(null);

/** What stands behind a call: its arguments, and what came back in the way that reads best; raw on request. */
export function ToolDetail({ item, onFork }: { item: ToolView; onFork?: (() => void) | undefined }) {
  const t = useTranslations("chat.tool");
  const [raw, setRaw] = useState(false);
  const { call, args, result } = item;
  const withheld = useWithheld(call.id);
  const written = item.written ?? call.malformed;
  if (withheld?.shown === "hidden") return <p className="meta">{t("withheld.hiddenLong")}</p>;
  return (
    <div className="flex flex-col gap-2" data-call-detail="">
      {withheld && <p className="meta">{t("withheld.shortenedLong", { count: withheld.characters ?? 0 })}</p>}
      {written === undefined ? <Arguments args={args} /> : <Payload text={written} />}
      {item.flows && <DataFlows flows={item.flows} />}
      {item.state === "running" && <Cancel id={call.id} />}
      {result?.args && <p className="meta">{t("argsChanged")}</p>}
      {result?.by === "person" && <p className="meta">{t("byPerson")}</p>}
      {result &&
        (raw || !saidInLine(item)) &&
        (raw ? <RawResult result={result} /> : <Result result={result} server={toolName(call).server} />)}
      <p className="flex items-center gap-3 *:self-center">
        {result && (
          <TextButton aria-pressed={raw} onClick={() => setRaw(!raw)}>
            {raw ? t("readable") : t("raw")}
          </TextButton>
        )}
        {written === undefined && (
          <CopyButton label={t("copyRequest")} text={() => requestOf(toolName(call).tool, args)} />
        )}
        {written === undefined && result && <RunAgain id={call.id} />}
        {onFork && <TextButton onClick={onFork}>{t("fork")}</TextButton>}
      </p>
    </div>
  );
}

/** As it goes to the server, to be sent again with other tools. */
const requestOf = (name: string, args: Record<string, unknown>) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }, null, 2);

function Cancel({ id }: { id: ToolCallId }) {
  const t = useTranslations("chat.tool");
  const cancel = useContext(CallCanceller);
  const [busy, setBusy] = useState(false);
  if (!cancel) return null;
  return (
    <TextButton
      disabled={busy}
      onClick={() => {
        setBusy(true);
        void cancel(id).finally(() => setBusy(false));
      }}
    >
      {t("cancelCall")}
    </TextButton>
  );
}

function RunAgain({ id }: { id: ToolCallId }) {
  const t = useTranslations("chat.tool");
  const runner = useContext(CallRunner);
  if (!runner) return null;
  return (
    <TextButton disabled={runner.busy} onClick={() => runner.run(id)}>
      {t("runAgain")}
    </TextButton>
  );
}

function Arguments({ args }: { args: Record<string, unknown> }) {
  const t = useTranslations("chat.tool");
  const entries = Object.entries(args);
  if (entries.length === 0) return <p className="meta">{t("noArguments")}</p>;
  return (
    <Pairs
      className="font-mono text-[12px]/5 text-ink-2"
      pairs={entries.map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value, null, isSmall(value) ? undefined : 2),
      ])}
    />
  );
}

const isSmall = (value: unknown) => (JSON.stringify(value) ?? "").length <= 72;
