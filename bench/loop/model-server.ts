import { serveParent } from "@/bench/support/child";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say, usage } from "@/lib/providers/testing/steps";
import { textTokens, toolTurns } from "./rows";

/** One scripted model for every contestant: it calls the tool ten times, or writes 5,000 tokens. */
const server = await startOpenAiServer(({ lastUserText, toolResults, tools }) => {
  server.requests.length = 0; // it keeps all of them for tests
  if (lastUserText === "tokens") return [say("token ".repeat(textTokens)), usage(100, textTokens)];
  if (toolResults.length === toolTurns) return [say("That was all."), usage(100, 5)];
  return [
    callTools({ name: tools[0] ?? "none", args: { text: `turn ${toolResults.length}` } }),
    usage(100, 5),
  ];
});
serveParent(server.url);
