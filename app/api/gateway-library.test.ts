import { PromptListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { ask, connect, newToken, withGateway } from "./testing/mcp-client";

const everything = {
  command: "node",
  args: ["node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"],
};
const library = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "library"] };
withGateway({ everything, other: everything, library }, { TOOL_APPROVAL: "allow" });

const begin = async (options: Parameters<typeof newToken>[0], capabilities = {}) =>
  connect((await newToken(options)).value, capabilities);

test("prompts have qualified names, and are filled in by their server", async () => {
  const { client } = await begin({ servers: ["everything"] });
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["everything__simple-prompt", "everything__args-prompt"]),
  );
  expect(prompts.find(({ name }) => name === "everything__args-prompt")?.arguments).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: "city", required: true })]),
  );
  const filled = await client.getPrompt({ name: "everything__args-prompt", arguments: { city: "Kyoto" } });
  expect(JSON.stringify(filled.messages)).toContain("Kyoto");
  const whole = await client.getPrompt({
    ...{ name: "everything__resource-prompt", arguments: { resourceType: "Text", resourceId: "1" } },
  });
  expect(whole.messages).toContainEqual(
    expect.objectContaining({ content: expect.objectContaining({ type: "resource" }) }),
  );
  await expect(client.getPrompt({ name: "other__simple-prompt" })).rejects.toMatchObject({ code: -32_602 });
  const plain = await begin({ servers: ["everything"], names: "plain" });
  expect((await plain.client.listPrompts()).prompts.map(({ name }) => name)).toContain("simple-prompt");
});

test("resources keep their addresses, are read as they came, and only from servers that the client was given", async () => {
  const { client } = await begin({ servers: ["everything", "library"] });
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  expect(uris).toContain("book://one");
  expect(await client.readResource({ uri: "book://one" })).toEqual({
    contents: [{ uri: "book://one", text: "Once upon a time" }],
  });
  const { resourceTemplates } = await client.listResourceTemplates();
  const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes("text"));
  expect(template).toBeDefined();
  const uri = template?.uriTemplate.replace(/\{[^}]+\}/, "7") ?? "";
  expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, text: expect.any(String) }]);
  await expect(client.readResource({ uri: "book://two" })).rejects.toMatchObject({ code: -32_002 });
  const { client: narrow } = await begin({ servers: ["everything"] });
  await expect(narrow.readResource({ uri: "book://one" })).rejects.toMatchObject({ code: -32_002 });
});

test("arguments are completed by the server", async () => {
  const { client } = await begin({ servers: ["everything"] });
  const { completion } = await client.complete({
    ref: { type: "ref/prompt", name: "everything__completable-prompt" },
    argument: { name: "department", value: "E" },
  });
  expect(completion.values).toEqual(expect.arrayContaining([expect.stringMatching(/^E/)]));
});

test("what a server asks during a call is asked at the client where that can show it, and in Meguri elsewhere", async () => {
  const { client } = await begin({ servers: ["everything"] }, { elicitation: {} });
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const shown: { message: string; schema: unknown }[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    if (!("requestedSchema" in params)) throw new Error("It is a form.");
    shown.push({ message: params.message, schema: params.requestedSchema });
    return { action: "accept", content: { name: "Aiko", check: true } };
  });
  const answer = await client.callTool({ name: "everything__trigger-elicitation-request" });
  expect(shown).toMatchObject([
    { message: expect.stringMatching(/^everything: /), schema: { properties: { name: { type: "string" } } } },
  ]);
  expect(JSON.stringify(answer.content)).toContain("Aiko");

  const { client: other } = await begin({ servers: ["other"], name: "Without forms" });
  const call = other.callTool({ name: "other__trigger-elicitation-request" });
  const waiting = async () =>
    (await (await ask("GET", "/api/runs?kind=gateway&status=waiting")).json()).items.filter(
      ({ gateway }: { gateway: { name: string } }) => gateway.name === "Without forms",
    );
  await expect.poll(async () => (await waiting()).length).toBe(1);
  const [run] = await waiting();
  const declined = await ask("POST", `/api/runs/${run.id}/answer`, {
    ...{ requestId: run.pending[0].requestId, action: "decline" },
  });
  expect(declined.status).toBe(200);
  expect(JSON.stringify(await call)).toContain("declin");
});

test("a client is told when its prompts change", async () => {
  const { client } = await begin({ servers: ["other"] });
  let told = 0;
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => {
    told++;
  });
  expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
  let enabled = true;
  // The stream on which it is told opens beside the first requests.
  await expect
    .poll(async () => {
      enabled = !enabled;
      await ask("PATCH", "/api/mcp/servers/other", { enabled });
      return told;
    })
    .toBeGreaterThan(0);
  await ask("PATCH", "/api/mcp/servers/other", { enabled: false });
  await expect.poll(async () => (await client.listPrompts()).prompts).toEqual([]);
  await ask("PATCH", "/api/mcp/servers/other", { enabled: true });
  await expect.poll(async () => (await client.listPrompts()).prompts.length).toBeGreaterThan(0);
});
