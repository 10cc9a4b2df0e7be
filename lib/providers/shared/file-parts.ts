import type { FilePart, InlineFile, TextPart, ToolContent } from "@/lib/protocol/message";

export interface FileRules {
  /** Whether the wire can carry a file of this type; text is always sent as text. */
  carries(mediaType: string): boolean;
}

type PlainText = Pick<TextPart, "type" | "text">;

/** A part of a user message as it is sent; a file that cannot be sent becomes a note that says so. */
export function toPart(part: TextPart | FilePart, rules: FileRules): PlainText | InlineFile {
  if (part.type === "text") return { type: "text", text: part.text };
  const name = part.name ? ` ${part.name}` : "";
  if (part.data === undefined) return { type: "text", text: `[File${name}, ${part.mediaType}: not there.]` };
  if (isText(part.mediaType))
    return { type: "text", text: `[File${name}, ${part.mediaType}]\n${decode(part)}` };
  if (rules.carries(part.mediaType)) return part;
  return { type: "text", text: `[File${name}, ${part.mediaType}: this model cannot read it.]` };
}

/** The images of a tool result that the wire carries. Other files stay notes: no wire takes them in that place. */
export function imagesOf(content: readonly ToolContent[], rules: FileRules): InlineFile[] {
  return content.filter((part): part is InlineFile => isImage(part) && rules.carries(part.mediaType));
}

/** Everything of a tool result as text, with a note for what is no text; `rules` are given when its images are sent, too. */
export function textOf(content: readonly ToolContent[], rules?: FileRules): string {
  return content.map((part) => toText(part, rules)).join("\n") || "(The tool returned nothing.)";
}

function toText(part: ToolContent, rules: FileRules | undefined): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "resource_link":
      return `[Resource ${part.title ?? part.name}: ${part.uri}${part.description ? ` — ${part.description}` : ""}]`;
    case "file":
      if (part.data === undefined)
        return `[${part.mediaType}${part.name ? ` ${part.name}` : ""}: not there.]`;
      if (isText(part.mediaType)) return decode(part);
      return isImage(part) && rules?.carries(part.mediaType)
        ? `[${part.mediaType}, attached]`
        : `[${part.mediaType}${part.name ? ` ${part.name}` : ""}: shown to the user, not to this model.]`;
  }
}

const isImage = (part: ToolContent): part is InlineFile =>
  part.type === "file" && part.data !== undefined && part.mediaType.startsWith("image/");

const isText = (mediaType: string) =>
  /^text\/|^application\/(json|xml|yaml|x-yaml|toml|javascript|typescript|x-sh|sql)\b|\+(json|xml)$/.test(
    mediaType,
  );

const decode = (part: InlineFile) => Buffer.from(part.data, "base64").toString("utf8");
