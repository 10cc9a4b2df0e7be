import type { z } from "zod";
import type { ExportQuery } from "@/lib/server/contract/exports";
import { notFound } from "@/lib/server/http/errors";
import { bytesInside, conversationJson, type ExportDeps, openExport } from "./conversation-json";
import { answerFile, type Pieces } from "./file-answer";
import { fileName } from "./file-name";
import { conversationHtml, conversationMarkdown, type ExportWords } from "./told-conversation";

type Query = z.output<typeof ExportQuery>;

const types: Record<Query["format"], string> = {
  json: "application/json; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  html: "text/html; charset=utf-8",
};

/** One conversation as a file: whole as JSON, its current branch to be read as Markdown or HTML. */
export async function exportConversation(
  deps: ExportDeps,
  userId: string,
  id: string,
  { format, reasoning }: Query,
  words: ExportWords,
): Promise<Response> {
  const exported = await openExport(deps, userId, id);
  if (!exported) throw notFound("conversation");
  const pieces = (): Pieces => {
    switch (format) {
      case "json":
        return conversationJson(deps, exported, (file) => bytesInside(deps, file));
      case "md":
        return conversationMarkdown(deps, exported, { words, reasoning });
      case "html":
        return conversationHtml(deps, exported, { words, reasoning });
    }
  };
  return answerFile(
    { log: deps.log, slots: deps.files.exports },
    { name: fileName(exported.conversation.title, format), type: types[format], pieces: pieces() },
  );
}
