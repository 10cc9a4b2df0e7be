import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serveParent } from "@/bench/support/child";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import type { Step } from "@/lib/providers/testing/steps";
import { answerCharacters, answerTokens } from "./measure-files";

/** Prose, as it does not compress better than what models write. */
const docs = join(import.meta.dirname, "../../docs");
const prose = readdirSync(docs)
  .filter((name) => name.endsWith(".md"))
  .map((name) => readFileSync(join(docs, name), "utf8"))
  .join("\n");

let state = 1;
/** From 0 to below `below`, the same in every run of the benchmark. */
const random = (below: number): number => {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
};

/** Tokens of 1 to 10 characters, each 1 to 3 ms after the one before; no two answers are alike. */
const server = await startOpenAiServer(() => {
  server.requests.length = 0; // it keeps all of them for tests
  let at = random(prose.length - 2 * answerCharacters);
  return Array.from({ length: answerTokens }, (): Step[] => {
    const length = 1 + random((2 * answerCharacters) / answerTokens - 1);
    at += length;
    const content = prose.slice(at - length, at);
    return [
      { type: "text", content, pieces: 1, delayMs: 0 },
      { type: "pause", ms: 1 + random(3) },
    ];
  }).flat();
});
serveParent(server.url);
