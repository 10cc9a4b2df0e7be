import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, type ScriptedCall, say } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import { startApp } from "../support/app";

/**
 * The application that the honest lane of the conformance suite goes through: the production build with a scripted
 * model. Prints `{baseUrl, token}` when it is ready, and lives until its standard input ends.
 */
const model = await startOpenAiServer(callAsAsked, { models: ["conformance"] });
const app = await startApp({
  env: {
    OPENAI_BASE_URL: model.url,
    PRIVATE_HOSTS: "127.0.0.1:*,localhost:*",
  },
  mcpConfig: { mcpServers: {} },
});
console.log(JSON.stringify({ baseUrl: app.baseUrl, token: app.token }));
for await (const _ of process.stdin);
await app.dispose();
await model.close();

/** Calls what the question names in JSON, once. */
function callAsAsked({ lastUserText, toolResults }: WireRequest) {
  const { name, args } = JSON.parse(lastUserText) as Required<ScriptedCall>;
  return [toolResults.length === 0 ? callTools({ name, args, id: "call_1" }) : say("Done.")];
}
