"use client";

import { createContext, useContext, useState } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "@/components/ui/code-block";
import { CopyButton } from "@/components/ui/copy-button";
import { onlyText, parsed, rowsOf } from "@/lib/client/call-summary";
import type { ToolView } from "@/lib/client/run-view";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolContent, ToolResult } from "@/lib/protocol/message";
import { FilePart } from "./file-part";
import { foldFrom, LongText } from "./long-text";
import { ResourceLink } from "./resource-link";
import { RowsTable } from "./rows-table";
import { toolName } from "./tool-name";

/** Gives up a call that is under way; null where nobody may, as on a shared page. */
export const CallCanceller = createContext<((id: ToolCallId) => Promise<void>) | null>(null);

/** Answers anew from an ended call on, which runs again; null where it cannot, `busy` while something else runs. */
export const CallRunner = createContext<{ run(id: ToolCallId): void; busy: boolean } | null>(null);

/** What stands behind a call: its arguments, and what came back in the way that reads best; raw on request. */
export function ToolDetail({ item }: { item: ToolView }) {
  const t = useTranslations("chat.tool");
  const [raw, setRaw] = useState(false);
  const { call, args, result } = item;
  const written = item.written ?? call.malformed;
  return (
    <div className="call-detail">
      {written === undefined ? <Arguments args={args} /> : <Payload text={written} />}
      {item.state === "running" && <Cancel id={call.id} />}
      {result?.args && <p className="meta">{t("argsChanged")}</p>}
      {result?.by === "person" && <p className="meta">{t("byPerson")}</p>}
      {result && (raw ? <Raw result={result} /> : <Result result={result} server={toolName(call).server} />)}
      <p className="call-acts">
        {result && (
          <button type="button" className="call-raw" aria-pressed={raw} onClick={() => setRaw(!raw)}>
            {raw ? t("readable") : t("raw")}
          </button>
        )}
        {written === undefined && (
          <CopyButton label={t("copyRequest")} text={() => requestOf(toolName(call).tool, args)} />
        )}
        {written === undefined && result && <RunAgain id={call.id} />}
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
    <button
      type="button"
      className="call-raw"
      disabled={busy}
      onClick={() => {
        setBusy(true);
        void cancel(id).finally(() => setBusy(false));
      }}
    >
      {t("cancelCall")}
    </button>
  );
}

function RunAgain({ id }: { id: ToolCallId }) {
  const t = useTranslations("chat.tool");
  const runner = useContext(CallRunner);
  if (!runner) return null;
  return (
    <button type="button" className="call-raw" disabled={runner.busy} onClick={() => runner.run(id)}>
      {t("runAgain")}
    </button>
  );
}

function Arguments({ args }: { args: Record<string, unknown> }) {
  const t = useTranslations("chat.tool");
  const entries = Object.entries(args);
  if (entries.length === 0) return <p className="meta">{t("noArguments")}</p>;
  return (
    <dl className="call-args">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {typeof value === "string" ? value : JSON.stringify(value, null, isSmall(value) ? undefined : 2)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const isSmall = (value: unknown) => (JSON.stringify(value) ?? "").length <= 72;

/** What is for both first, then what the server means for one of the two alone, each by its name. */
export function Result({ result, server }: { result: ToolResult; server: string }) {
  const t = useTranslations("chat.tool");
  const of = (audience: ToolContent["audience"]) => ({
    ...result,
    content: result.content.filter((part) => part.audience === audience),
  });
  const { structured: _, ...user } = of("user");
  const { structured: __, ...assistant } = of("assistant");
  return (
    <>
      <Content result={of(undefined)} server={server} />
      {user.content.length > 0 && <p className="meta">{t("onlyUser")}</p>}
      {user.content.length > 0 && <Content result={user} server={server} />}
      {assistant.content.length > 0 && <p className="meta">{t("onlyAssistant")}</p>}
      {assistant.content.length > 0 && <Content result={assistant} server={server} />}
    </>
  );
}

/** Parts as they read best: rows as a table, JSON as JSON, files and links as such. */
export function Content({
  result,
  server,
}: {
  result: Pick<ToolResult, "content" | "structured">;
  server: string;
}) {
  const text = onlyText(result.content);
  const rows = rowsOf(result.structured) ?? rowsOf(parsed(text));
  if (rows) return <RowsTable rows={rows} />;
  const structured = result.structured ?? parsed(text);
  const others = result.content.filter((part) => part.type !== "text");
  return (
    <>
      {structured !== undefined && text.trim() === JSON.stringify(structured) ? null : <Text text={text} />}
      {structured !== undefined && isTelling(structured, text) && <Json value={structured} />}
      {others.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a result have no identity and never move
        <Part key={at} part={part} server={server} />
      ))}
    </>
  );
}

/** Structured content that only repeats the text says nothing new. */
function isTelling(structured: unknown, text: string): boolean {
  if (typeof structured !== "object" || structured === null) return false;
  const values = Object.values(structured);
  return !(values.length === 1 && values[0] === text);
}

function Text({ text }: { text: string }) {
  if (text.length > foldFrom) return <LongText text={text} />;
  return text.trim() === "" ? null : <Payload text={text} />;
}

function Payload({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <pre className="payload" tabIndex={0}>
      {text}
    </pre>
  );
}

function Json({ value }: { value: unknown }) {
  return (
    <CodeBlock language="json">
      <code>{JSON.stringify(value, null, 2)}</code>
    </CodeBlock>
  );
}

function Raw({ result }: { result: ToolResult }) {
  const { content, structured } = result;
  return (
    <Json value={{ content: content.map(shortened), ...(structured !== undefined && { structured }) }} />
  );
}

const shortened = (part: ToolContent) =>
  part.type === "file" && part.data !== undefined
    ? { ...part, data: `${part.data.slice(0, 64)}… (${part.data.length})` }
    : part;

function Part({ part, server }: { part: Exclude<ToolContent, { type: "text" }>; server: string }) {
  const t = useTranslations("chat.tool");
  if (part.type === "resource_link")
    return (
      <ResourceLink part={part} server={server}>
        {(content) => <Content result={{ content }} server={server} />}
      </ResourceLink>
    );
  return <FilePart file={part} alt={part.name ?? t("imageFromTool")} />;
}
