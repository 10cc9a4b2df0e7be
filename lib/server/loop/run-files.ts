import type { ToolBox } from "@/lib/agent/ports";
import type { ReadFile } from "@/lib/agent/with-stored-files";
import type { ToolContent } from "@/lib/protocol/message";
import { toPart } from "@/lib/server/attachments/attachments";
import { newId, newIdLike } from "@/lib/server/ids";
import type { RunRow } from "@/lib/store/types";
import type { RunDeps } from "./run-deps";

/** Base64 characters from which a tool's file is kept beside the log: about 64 KB. */
const inlineCharacters = 87_000;

const notKept = (name: string) =>
  `[${name} was not kept: the attached files of this person take all the space that they may.]`;

/** Gives a run's model the files that its conversation names. A scanned PDF has no text: it goes as it is. */
export function fileReader({ files, log }: Pick<RunDeps, "files" | "log">): ReadFile {
  return async ({ attachmentId, characters }) => {
    try {
      if (characters) return { text: await files.readText(attachmentId) };
      return { data: (await files.read(attachmentId)).toString("base64") };
    } catch (err) {
      log.warn({ err, attachmentId }, "an attached file cannot be read");
      return undefined;
    }
  };
}

/**
 * Large files that tools send are stored once, and named everywhere else: in the log, on the wire, in the history. Small
 * ones stay where they are, and get an id by which the model can hand them on.
 */
export function withFileStore(
  tools: ToolBox,
  deps: Pick<RunDeps, "files" | "store">,
  { userId, conversationId }: RunRow,
): ToolBox {
  const keep = async (part: ToolContent): Promise<ToolContent> => {
    if (part.type !== "file" || part.data === undefined) return part;
    if (part.data.length <= inlineCharacters)
      return part.audience === "user" ? part : { ...part, id: newId() };
    const bytes = Buffer.from(part.data, "base64");
    const row = {
      id: newIdLike(conversationId),
      userId,
      conversationId,
      projectId: null,
      name: part.name ?? `image.${part.mediaType.split("/").at(-1)}`,
      mediaType: part.mediaType,
      size: bytes.byteLength,
      characters: null,
      createdAt: Date.now(),
    };
    await deps.files.write(row.id, bytes);
    if (!(await deps.store.attachments.add(row, await deps.files.maxBytesOf(userId)))) {
      await deps.files.delete([row.id]);
      return { type: "text", text: notKept(row.name) };
    }
    return { ...toPart(row), ...(part.audience && { audience: part.audience }) };
  };
  return {
    list: () => tools.list(),
    async call(call, context) {
      const result = await tools.call(call, context);
      if ("waiting" in result) return result;
      return { ...result, content: await Promise.all(result.content.map(keep)) };
    },
  };
}
