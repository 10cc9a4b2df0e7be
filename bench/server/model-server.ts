import { serveParent } from "@/bench/support/child";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import type { Step } from "@/lib/providers/testing/steps";
import { tokenGapMs } from "./timing";

/** A token that says when it was written, on a clock that all processes of the machine share. */
const stamped: Step = {
  type: "text",
  get content() {
    return `@${process.hrtime.bigint()} `;
  },
  pieces: 1,
  delayMs: 0,
};
const maxTokens = 1_000;

/** Asked for "12 tokens" it writes 12 of them, 20 a second, the first at once. */
const server = await startOpenAiServer(({ lastUserText }) => {
  server.requests.length = 0; // it keeps all of them for tests
  const count = Math.min(maxTokens, Number.parseInt(lastUserText, 10) || 1);
  const later = Array.from({ length: count - 1 }, (): Step[] => [{ type: "pause", ms: tokenGapMs }, stamped]);
  return [stamped, ...later.flat()];
});
serveParent(server.url);
