import { afterAll, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const secret = "Salaries 2026: Abe 91,000, Berta 87,500, Carl 64,000";
const model = await startOpenAiServer(({ toolResults }) => {
  const name = ["notes__echo", "mail__echo"][toolResults.length];
  return [name ? callTools({ name, args: { text: secret } }) : say("Sent.")];
});
afterAll(() => model.close());

const plain = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
withApplication({ notes: plain, mail: plain }, { OPENAI_BASE_URL: model.url, TOOL_APPROVAL: "allow" });

const chat = async () =>
  readStream(
    await callApi("POST", "/api/chat", { message: { text: "Tell them." }, model: "openai/test-model" }),
  );

test("where everything is allowed, what goes from one server to another is marked, and asked about by a rule alone", async () => {
  const { status, chunks } = await chat();
  expect(status).toBe("completed");
  const flows = chunks.flatMap((chunk) => (chunk.type === "tool_start" ? [chunk.flows] : []));
  expect(flows).toEqual([undefined, [expect.objectContaining({ server: "notes", excerpt: secret })]]);

  await callApi("PATCH", "/api/settings", {
    rules: [{ pattern: "mcp:mail:*", effect: "ask", from: "notes" }],
  });
  expect((await chat()).status).toBe("waiting");
});
