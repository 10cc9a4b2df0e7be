import type { FilePart, UserMessage } from "@/lib/protocol/message";

export const textOf = (parts: UserMessage["parts"]): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

export const filesOf = (parts: UserMessage["parts"]): FilePart[] =>
  parts.filter((part) => part.type === "file");
