import { serveParent } from "@/bench/support/child";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";

/** Asked for "tokens 600 5" it writes 600 of them, one every 5 ms. */
const server = await startOpenAiServer(({ lastUserText }) => {
  server.requests.length = 0; // it keeps all of them for tests
  const [, count, delayMs] = lastUserText.split(" ").map(Number);
  return [say("token ".repeat(count ?? 1), { delayMs: delayMs ?? 0 })];
});
serveParent(server.url);
