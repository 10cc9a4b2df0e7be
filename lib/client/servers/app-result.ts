import type { ToolContent, ToolResult } from "@/lib/protocol/message";

type Block =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: { uri: string; mimeType: string; blob: string } }
  | { type: "resource_link"; uri: string; name: string; title?: string; mimeType?: string };

/** A result in the format of MCP, for the app of the tool's server. */
export async function toCallResult({ content, structured, status, meta }: ToolResult) {
  return {
    content: await Promise.all(content.map(toBlock)),
    ...(isObject(structured) && { structuredContent: structured }),
    ...(status !== "ok" && { isError: true }),
    ...(meta && { _meta: meta }),
  };
}

/** A failure on the way, in the format of a tool's error. */
export const failedCall = (text: string) => ({ content: [{ type: "text" as const, text }], isError: true });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function toBlock(part: ToolContent): Promise<Block> {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "resource_link": {
      const { uri, name, title, mediaType } = part;
      return {
        type: "resource_link",
        uri,
        name,
        ...(title && { title }),
        ...(mediaType && { mimeType: mediaType }),
      };
    }
    case "file": {
      const { mediaType: mimeType, name = "file" } = part;
      const data = part.data ?? (await stored(part.attachmentId));
      if (data === undefined) return { type: "text", text: `[${name} is not there any more.]` };
      const [kind] = mimeType.split("/");
      return kind === "image" || kind === "audio"
        ? { type: kind, data, mimeType }
        : {
            type: "resource",
            resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType, blob: data },
          };
    }
  }
}

/** A file that is stored outside the history, as base64. */
async function stored(id: string | undefined): Promise<string | undefined> {
  const response = await fetch(`/api/attachments/${encodeURIComponent(id ?? "")}`).catch(() => undefined);
  if (!response?.ok) return undefined;
  const blob = await response.blob();
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => resolve(undefined);
    reader.readAsDataURL(blob);
  });
}
