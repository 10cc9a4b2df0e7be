"use client";

import { useTranslations } from "use-intl";
import { FilePart } from "@/components/chat/parts/file-part";
import { Payload } from "@/components/chat/parts/payload";
import { CodeBlock } from "@/components/ui/code/code-block";
import { rowsOf } from "@/lib/client/run/call-summary";
import { indentJson, jsonOf, onlyText, repeats } from "@/lib/client/run/read-json";
import type { ToolContent, ToolResult } from "@/lib/protocol/message";
import { JsonTree } from "./json-tree";
import { foldFrom, LongText } from "./long-text";
import { ResourceLink } from "./resource-link";

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

interface ContentProps {
  result: Pick<ToolResult, "content" | "structured">;
  server: string;
}

/** Parts as they read best: rows as a table, other JSON by its names, files and links as such. Nothing is left out. */
export function Content({ result: { content, structured }, server }: ContentProps) {
  const text = onlyText(content);
  const inText = jsonOf(content);
  const others = content.filter((part) => part.type !== "text");
  return (
    <>
      {inText === undefined ? <Text text={text} /> : <Json value={inText} text={text} />}
      {structured !== undefined && !repeats(structured, content) && (
        <Json value={structured} text={JSON.stringify(structured)} />
      )}
      {others.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a result have no identity and never move
        <Part key={at} part={part} server={server} />
      ))}
    </>
  );
}

function Text({ text }: { text: string }) {
  if (text.length > foldFrom) return <LongText text={text} />;
  return text.trim() === "" ? null : <Payload text={text} />;
}

function Json({ value, text }: { value: unknown; text: string }) {
  if (text.length > foldFrom && !rowsOf(value)) return <LongText text={indentJson(text)} />;
  return <JsonTree value={value} />;
}

/** Each part as it came, JSON with a line for each value. */
export function RawResult({ result: { content, structured } }: { result: ToolResult }) {
  return (
    <>
      {content.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a result have no identity and never move
        <RawPart key={at} part={part} />
      ))}
      {structured !== undefined && (
        <Code label="structuredContent" text={JSON.stringify(structured, null, 2)} />
      )}
    </>
  );
}

function RawPart({ part }: { part: ToolContent }) {
  if (part.type !== "text") return <Code label={part.type} text={JSON.stringify(shortened(part), null, 2)} />;
  return <Code label={[part.type, part.audience].filter(Boolean).join(", ")} text={indentJson(part.text)} />;
}

function Code({ label, text }: { label: string; text: string }) {
  if (text.length > foldFrom) return <LongText text={text} />;
  return (
    <CodeBlock language={label}>
      <code>{text}</code>
    </CodeBlock>
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
