import { expect, test } from "vitest";
import { stop, text } from "@/lib/agent/testing/scripted";
import { ask, ended, user } from "@/lib/server/testing/run-kit";
import { startAlone } from "@/lib/server/testing/world";
import { StoreError } from "@/lib/store/errors";
import { findConversation } from "./conversations";
import { runAgain } from "./run-again";

test("a message off the branch that cannot be looked for is no message that is not there", async () => {
  const app = await startAlone([text("Done."), stop("end_turn")]);
  const { conversationId } = await ended(app, await ask(app));
  const conversation = await findConversation(app, user, conversationId);
  const asked = { messageId: "elsewhere", callId: "a" };
  await expect(runAgain(app, conversation, asked)).rejects.toMatchObject({ code: "not_found", status: 404 });
  app.store.failing("messages.newestLeaf", new StoreError("busy", "The database is locked."));
  await expect(runAgain(app, conversation, asked)).rejects.toMatchObject({ code: "busy" });
});
