import { z } from "zod";
import type { AgentItem, DeclaredState } from "@/lib/protocol/agents";
import { listAgents } from "@/lib/server/agents/agents";
import { ChatBody } from "@/lib/server/contract/chat";
import { maxText } from "@/lib/server/contract/fields";
import { chat } from "@/lib/server/conversations/chat";
import { hasScope } from "@/lib/server/http/guard";
import { awaitAnswer } from "./await-answer";
import type { CallingClient } from "./call-tool";
import { type OwnDeps, type OwnTool, ownTool } from "./own-tool";
import { errorAnswer } from "./to-answer";

/** The agents that the person has switched on for their programs, each a tool under its own name. */
export async function agentTools(deps: OwnDeps, { person }: CallingClient): Promise<OwnTool[]> {
  if (!hasScope(person, "chat")) return [];
  const names = (await deps.store.settings.get<string[]>(person.id, "agentTools")) ?? [];
  if (names.length === 0) return [];
  const { items } = await listAgents(deps);
  return items.filter(({ id }) => names.includes(id)).map((agent) => agentTool(deps, agent));
}

const agentTool = (deps: OwnDeps, { id, name, description, state }: AgentItem): OwnTool =>
  ownTool(
    {
      name: id,
      title: name.en,
      description: [
        description.en || name.en,
        "An agent of Meguri; gives its answer and the address of the conversation.",
      ].join("\n\n"),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
      scope: "chat",
      args: z.strictObject({
        question: z.string().trim().min(1).max(maxText).describe("What it is to do."),
        ...(Object.keys(state).length > 0 && { state: stateOf(state) }),
        conversation: z.string().max(64).describe("Id of a conversation to go on in.").optional(),
      }),
    },
    async (client, { question, state: given, conversation }, follow) => {
      const asked = ChatBody.safeParse({
        message: { text: question },
        agent: id,
        ...(given !== undefined && { state: given }),
        ...(conversation !== undefined && { conversationId: conversation }),
        ...(client.reach.servers && { servers: client.reach.servers }),
      });
      if (!asked.success) return errorAnswer(`Not asked: ${asked.error.issues[0]?.message}`);
      return awaitAnswer(deps, client, await chat(deps, client.person.id, asked.data), follow);
    },
  );

/** Of a text that an agent begins with, in characters: as a chat request takes it, and as its default is told. */
const [maxState, maxShown] = [20_000, 200];

/** What the agent begins with; what it does not say itself has to be said. */
function stateOf(declared: DeclaredState) {
  const text = z.string().max(maxState);
  const fields = Object.entries(declared).map(([key, value]) => {
    if (value === null) return [key, text.min(1)] as const;
    const shown = value.length > maxShown ? `${value.slice(0, maxShown)}…` : value;
    return [key, text.describe(`Without it: ${shown}`).optional()] as const;
  });
  const state = z.strictObject(Object.fromEntries(fields)).describe("What the agent begins with.");
  return Object.values(declared).includes(null) ? state : state.optional();
}
