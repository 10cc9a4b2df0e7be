import type { z } from "zod";
import { firstNamed } from "@/lib/protocol/choice";
import type { ChatBody } from "@/lib/server/contract/chat";
import type { Env } from "@/lib/server/env";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { ConversationListRow } from "@/lib/store/types";
import { fromAssistant } from "./from-assistant";
import { fromProject } from "./from-project";
import { namedIn } from "./named-choice";

/** What a message is answered with: as the request says, then its conversation, its assistant, its project. */
export async function findUsed(
  deps: RunDeps & { env: Pick<Env, "AGENTS_DIR"> },
  userId: string,
  request: z.output<typeof ChatBody>,
  conversation: ConversationListRow | undefined,
) {
  const named = namedIn(request);
  const said = firstNamed(named, conversation?.choice);
  const project = await fromProject(deps, userId, request, conversation);
  const given = await fromAssistant(deps, userId, request, firstNamed(said, project.assistant));
  return { named, project, given, used: firstNamed(said, given.choice, project.choice) };
}
