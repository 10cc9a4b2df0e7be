import type { UserMessage } from "@/lib/protocol/message";
import type { ImportedConversation, ImportedFile, ImportedMessage } from "./imported";

/** What a person has said, with files that become those of the conversation; nothing where there is neither. */
export function questionMessage(
  place: Omit<ImportedMessage, "message">,
  text: string,
  attached: readonly ImportedFile[],
  { files }: Pick<ImportedConversation, "files">,
): ImportedMessage[] {
  files.push(...attached);
  const parts: UserMessage["parts"] = [
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...attached.map(({ id, name, mediaType, size = 0 }) => ({
      ...{ type: "file" as const, attachmentId: id, name, mediaType, size },
    })),
  ];
  return parts.length > 0 ? [{ ...place, message: { role: "user", parts } }] : [];
}
