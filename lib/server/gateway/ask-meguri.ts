import { z } from "zod";
import { ChatBody } from "@/lib/server/contract/chat";
import { maxText } from "@/lib/server/contract/fields";
import { chat } from "@/lib/server/conversations/chat";
import { awaitAnswer } from "./await-answer";
import { findAssistant } from "./find-assistant";
import { type OwnDeps, ownTool } from "./own-tool";
import { errorAnswer } from "./to-answer";

/** A question to Meguri: a model or an assistant answers it, with the servers that the client was given. */
export const askMeguri = (deps: OwnDeps) =>
  ownTool(
    {
      name: "ask",
      title: "Ask Meguri",
      description:
        "Asks a model or an assistant of Meguri, which answers with its tools and remembers the conversation. Gives the answer and the address of the conversation.",
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
      scope: "chat",
      args: z.strictObject({
        question: z.string().trim().min(1).max(maxText),
        assistant: z.string().max(200).describe("Name or id, of list_assistants.").optional(),
        model: z.string().max(300).describe("provider/name; without it, as Meguri chooses.").optional(),
        conversation: z.string().max(64).describe("Id of a conversation to go on in.").optional(),
      }),
    },
    async (client, { question, assistant, model, conversation }, follow) => {
      const named =
        assistant === undefined ? undefined : await findAssistant(deps, client.person.id, assistant);
      if (assistant !== undefined && !named)
        return errorAnswer(`There is no assistant ${assistant}; list_assistants tells which there are.`);
      const { servers } = client.reach;
      // An assistant has no more than the client was given.
      const used =
        servers && named?.servers ? servers.filter((name) => named.servers?.includes(name)) : servers;
      const asked = ChatBody.safeParse({
        message: { text: question },
        ...(named && { assistant: named.id }),
        ...(model !== undefined && { model }),
        ...(conversation !== undefined && { conversationId: conversation }),
        ...(used && { servers: used }),
      });
      if (!asked.success) return errorAnswer(`Not asked: ${asked.error.issues[0]?.message}`);
      const row = await chat(deps, client.person.id, asked.data);
      return awaitAnswer(deps, client, row, follow);
    },
  );
