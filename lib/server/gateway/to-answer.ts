import type { McpAnswer } from "@/lib/mcp/gateway/offer";
import { modelContent } from "@/lib/protocol/history";
import type { FilePart, TextPart, ToolContent, ToolResult } from "@/lib/protocol/message";

/** Base64 of a file that is kept beside the log; undefined for one that cannot be read. */
export type ReadFile = (attachmentId: string) => Promise<string | undefined>;

/**
 * What a program gets of a call: the answer of the server as it came, where there is one and no person has had a hand in it;
 * else what its run has kept.
 */
export async function toAnswer(
  result: ToolResult,
  raw: McpAnswer | undefined,
  read: ReadFile,
): Promise<McpAnswer> {
  const isError = result.status !== "ok";
  const isOurs = result.by !== undefined || result.reason !== undefined || result.args !== undefined;
  if (raw && !isOurs && (raw.isError === true) === isError) return raw;
  const structured = result.structured === undefined ? {} : { structuredContent: result.structured };
  return { content: await toBlocks(result, read), ...(isError ? { isError } : structured) };
}

export const errorAnswer = (text: string): McpAnswer => ({
  content: [{ type: "text", text }],
  isError: true,
});

/** A program has a person before it too: what is for people alone goes along, with its mark. */
async function toBlocks(result: ToolResult, read: ReadFile): Promise<unknown[]> {
  const notes = modelContent({ ...result, content: [] });
  return Promise.all([...notes, ...result.content].map((part) => toBlock(part, read)));
}

async function toBlock(part: ToolContent | TextPart | FilePart, read: ReadFile): Promise<unknown> {
  const marks = "audience" in part && part.audience ? { annotations: { audience: [part.audience] } } : {};
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...marks };
    case "resource_link": {
      const { uri, name, title, description, mediaType } = part;
      return {
        ...{ type: "resource_link", uri, name, ...marks },
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        ...(mediaType !== undefined && { mimeType: mediaType }),
      };
    }
    case "file": {
      const data = part.data ?? (await read(part.attachmentId));
      const { mediaType: mimeType, name = "file" } = part;
      if (data === undefined) return { type: "text", text: `[${name} cannot be read any more.]`, ...marks };
      const kind = mimeType.split("/")[0];
      if (kind === "image" || kind === "audio") return { type: kind, data, mimeType, ...marks };
      return {
        type: "resource",
        resource: { uri: `file:///${encodeURIComponent(name)}`, mimeType, blob: data },
        ...marks,
      };
    }
  }
}
