import type { z } from "zod";
import type { ConversationChoice } from "@/lib/protocol/choice";
import type { ChatBody } from "@/lib/server/contract/chat";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { ConversationListRow } from "@/lib/store/types";
import { findProject } from "./conversations";

/** What a project adds where neither the request nor the conversation says anything. */
interface FromProject {
  /** Null: it is in none. */
  id: string | null;
  /** Comes before what that assistant says. */
  assistant: Pick<ConversationChoice, "assistant">;
  choice: ConversationChoice;
}

/** That of the conversation, which may have been deleted just now, or the one that a new conversation begins in. */
export async function fromProject(
  deps: Pick<RunDeps, "store">,
  userId: string,
  { projectId }: z.output<typeof ChatBody>,
  conversation: ConversationListRow | undefined,
): Promise<FromProject> {
  const known = conversation?.projectId ?? undefined;
  const project =
    known !== undefined
      ? await deps.store.projects.get(userId, known)
      : projectId !== undefined && !conversation
        ? await findProject(deps, userId, projectId)
        : undefined;
  const { id = null, assistant, servers } = project ?? {};
  return {
    id,
    assistant: { ...(assistant !== undefined && { assistant }) },
    choice: { ...(servers && { servers }) },
  };
}
