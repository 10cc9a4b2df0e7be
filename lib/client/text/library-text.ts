import { parseTemplate } from "url-template";
import type { McpPromptText } from "@/lib/protocol/mcp-offers";
import type { ToolContent } from "@/lib/protocol/message";

/** A prompt as text for the message field: a single message as it is, several with the role of each. */
export function promptText({ messages }: Pick<McpPromptText, "messages">): string {
  const texts = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  const told = texts.filter(({ text }) => text !== "");
  if (told.length === 1 && told[0]?.role === "user") return told[0].text;
  return told.map(({ role, text }) => `**${role === "user" ? "User" : "Assistant"}:** ${text}`).join("\n\n");
}

/** The files of a prompt or a resource, as attachments. */
export const filesIn = (content: readonly ToolContent[], name: string): File[] =>
  content.flatMap((part) => {
    if (part.type !== "file" || part.data === undefined) return [];
    const bytes = Uint8Array.from(atob(part.data), (char) => char.charCodeAt(0));
    return new File([bytes], part.name ?? name, { type: part.mediaType });
  });

/** A resource as files: its texts joined in one, and its other contents. */
export function resourceFiles(
  content: readonly ToolContent[],
  { uri, mediaType }: { uri: string; mediaType: string | null },
): File[] {
  const name = fileName(uri, mediaType);
  const text = textOf(content);
  const texts = text === "" ? [] : [new File([text], name, { type: mediaType ?? "text/plain" })];
  return [...texts, ...filesIn(content, name)];
}

export const expandTemplate = (template: string, values: Record<string, string>): string =>
  parseTemplate(template).expand(values);

const textOf = (content: readonly ToolContent[]): string =>
  content
    .flatMap((part) => {
      if (part.type === "text") return part.text;
      return part.type === "resource_link" ? `${part.title ?? part.name}: ${part.uri}` : [];
    })
    .join("\n\n");

const endings: Record<string, string> = {
  "application/json": ".json",
  "text/markdown": ".md",
  "text/html": ".html",
  "text/csv": ".csv",
};

/** The last segment of the URI, with an extension that tells its type. */
function fileName(uri: string, mediaType: string | null): string {
  const last = decodeURIComponent(uri.replace(/[?#].*$/, "").replace(/%(?![0-9a-f]{2})/gi, "%25"));
  const name = (last.split(/[/\\:]/).findLast(Boolean) ?? "resource").slice(0, 100);
  if (/\.\w{1,5}$/.test(name)) return name;
  return `${name}${endings[mediaType ?? ""] ?? (mediaType?.startsWith("text/") !== false ? ".txt" : "")}`;
}
