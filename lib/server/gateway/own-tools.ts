import { z } from "zod";
import type { StoredMessage } from "@/lib/protocol/http";
import { SearchQuery } from "@/lib/server/contract/search";
import { readConversation } from "@/lib/server/conversations/conversations";
import { search } from "@/lib/server/conversations/search";
import { publicUrl } from "@/lib/server/env";
import { askMeguri } from "./ask-meguri";
import { assistantsOf } from "./find-assistant";
import { type OwnDeps, type OwnTool, ownTool, tell } from "./own-tool";
import { errorAnswer } from "./to-answer";

const reads = { readOnlyHint: true, openWorldHint: false } as const;

/** What a client can do with Meguri itself: to ask, and to read what was said. */
export const ownTools = (deps: OwnDeps): OwnTool[] => [
  askMeguri(deps),
  searchConversations(deps),
  readOne(deps),
  listAssistants(deps),
];

const searchConversations = (deps: OwnDeps) =>
  ownTool(
    {
      name: "search_conversations",
      title: "Search conversations",
      description:
        "Finds messages in the person's conversations in Meguri that have all of these words, newest first. read_conversation reads one.",
      annotations: reads,
      scope: "read",
      args: z.strictObject({
        query: z.string().min(1).max(200),
        limit: z.int().min(1).max(50).default(10),
      }),
    },
    async ({ person }, { query, limit }) => {
      const asked = SearchQuery.safeParse({ q: query, limit });
      if (!asked.success) return errorAnswer(`Not searched: query ${asked.error.issues[0]?.message}.`);
      const { items } = await search(deps, person.id, asked.data);
      const found = items.map(({ snippet, ...item }) => ({
        ...item,
        text: snippet.map(({ text }) => text).join(""),
        url: addressOf(deps, item.conversationId),
      }));
      const lines = found.map(({ title, role, at, text, conversationId }) =>
        [`- ${title} (${conversationId}), ${role}, ${at}`, `  ${text}`].join("\n"),
      );
      return tell(lines.length > 0 ? lines.join("\n") : "Nothing was found.", { items: found });
    },
  );

/** Characters of a conversation that are told; the newest messages are. */
const maxText = 200_000;

const readOne = (deps: OwnDeps) =>
  ownTool(
    {
      name: "read_conversation",
      title: "Read a conversation",
      description: "Reads the newest messages of one of the person's conversations in Meguri.",
      annotations: reads,
      scope: "read",
      args: z.strictObject({
        conversation: z.string().min(1).max(64).describe("Its id."),
        limit: z.int().min(1).max(200).default(50).describe("How many messages."),
      }),
    },
    async ({ person }, { conversation, limit }) => {
      const { id, title, messages, hasMore } = await readConversation(deps, person.id, conversation, {
        limit,
      });
      const texts = messages.map(toText).filter((text) => text !== "");
      while (texts.length > 1 && texts.join("\n\n").length > maxText) texts.shift();
      const isCut = hasMore || texts.length < messages.length;
      const text = [`# ${title}`, ...(isCut ? ["…"] : []), ...texts].join("\n\n").slice(0, maxText);
      return tell(text, { conversationId: id, title, url: addressOf(deps, id), isCut });
    },
  );

function toText(message: StoredMessage): string {
  switch (message.role) {
    case "user":
      return `## Person\n\n${textsOf(message.parts)}`;
    case "assistant": {
      const calls = message.parts.flatMap((part) =>
        part.type === "tool_call" ? [`[Called ${part.name} ${JSON.stringify(part.args)}]`] : [],
      );
      return ["## Assistant", textsOf(message.parts), ...calls].filter(Boolean).join("\n\n");
    }
    case "tool":
      return message.results.map(({ content }) => `## Tool\n\n${textsOf(content)}`).join("\n\n");
    case "summary":
      return `## Summary of what was before\n\n${message.text}`;
  }
}

const textsOf = (parts: readonly { type: string; text?: string; name?: string }[]): string =>
  parts
    .flatMap((part) =>
      part.type === "text" ? (part.text ?? "") : part.type === "file" ? `[${part.name ?? "file"}]` : [],
    )
    .join("\n");

const listAssistants = (deps: OwnDeps) =>
  ownTool(
    {
      name: "list_assistants",
      title: "List assistants",
      description: "The assistants that the person has in Meguri, which ask can be told to answer as.",
      annotations: reads,
      scope: "read",
      args: z.strictObject({}),
    },
    async ({ person }) => {
      const items = (await assistantsOf(deps, person.id)).map(({ id, name, description, model }) => ({
        ...{ id, name, description, ...(model !== undefined && { model }) },
      }));
      const lines = items.map(({ name, description }) => `- ${name}${description ? `: ${description}` : ""}`);
      return tell(lines.length > 0 ? lines.join("\n") : "There are none.", { items });
    },
  );

const addressOf = ({ env }: Pick<OwnDeps, "env">, id: string): string => `${publicUrl(env)}/c/${id}`;
