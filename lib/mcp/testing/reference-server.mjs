// The tools, prompts and resources that the server scenarios of `@modelcontextprotocol/conformance` ask for, over stdio:
// `node reference-server.mjs`.
import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";
const stepMs = 120;

const text = (words) => ({ type: "text", text: words });
const image = { type: "image", data: png, mimeType: "image/png" };
const embedded = (uri, mimeType, words) => ({ type: "resource", resource: { uri, mimeType, text: words } });
const string = (more = {}) => ({ type: "string", ...more });
/** @param {string[]} required */
const object = (properties = {}, required = []) => ({
  type: /** @type {const} */ ("object"),
  properties,
  required,
});

const server = new Server(
  { name: "reference", version: "1.0.0" },
  { capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} } },
);

async function elicit(message, properties, required = []) {
  const requestedSchema = object(properties, required);
  const { action, content = {} } = await server.elicitInput({ message, requestedSchema });
  return [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)];
}

const titled = (...names) => names.map((name, at) => ({ const: `value${at + 1}`, title: name }));
const options = ["option1", "option2", "option3"];

/** Addresses of resources of which the client is told. */
const watched = new Set();

/** What each tool answers, by name; with a schema where it takes arguments. */
const tools = {
  test_simple_text: { call: () => [text("This is a simple text response for testing.")] },
  test_image_content: { call: () => [image] },
  test_audio_content: { call: () => [{ type: "audio", data: wav, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    call: () => [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  },
  test_multiple_content_types: {
    call: () => [
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  },
  test_tool_with_logging: {
    async call() {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await server.sendLoggingMessage({ level: "info", data });
        await sleep(stepMs);
      }
      return [text("It has logged.")];
    },
  },
  test_error_handling: {
    call: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  },
  test_tool_with_progress: {
    async call(_, { _meta, sendNotification }) {
      const progressToken = _meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        const params = { progressToken, progress, total: 100 };
        await sendNotification({ method: "notifications/progress", params });
        await sleep(stepMs);
      }
      return [text("It is done.")];
    },
  },
  test_sampling: {
    inputSchema: object({ prompt: string() }, ["prompt"]),
    async call({ prompt }) {
      const asked = { type: /** @type {const} */ ("text"), text: String(prompt) };
      const messages = [{ role: /** @type {const} */ ("user"), content: asked }];
      const { content } = await server.createMessage({ messages, maxTokens: 100 });
      const [said] = [content].flat();
      return [text(`LLM response: ${said?.type === "text" ? said.text : ""}`)];
    },
  },
  test_elicitation: {
    inputSchema: object({ message: string() }, ["message"]),
    call: ({ message }) =>
      elicit(message, { username: string(), email: string({ description: "An address." }) }, [
        ...["username", "email"],
      ]),
  },
  test_elicitation_sep1034_defaults: {
    call: () =>
      elicit("Defaults?", {
        name: string({ default: "John Doe" }),
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: string({ enum: ["active", "inactive", "pending"], default: "active" }),
        verified: { type: "boolean", default: true },
      }),
  },
  test_elicitation_sep1330_enums: {
    call: () =>
      elicit("Which?", {
        untitledSingle: string({ enum: options }),
        titledSingle: string({ oneOf: titled("First Option", "Second Option", "Third Option") }),
        legacyEnum: string({
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        }),
        untitledMulti: { type: "array", items: string({ enum: options }) },
        titledMulti: { type: "array", items: { anyOf: titled("First Choice", "Second Choice") } },
      }),
  },
  /** Not the suite's. */
  update_watched: {
    async call() {
      for (const uri of watched) await server.sendResourceUpdated({ uri });
      return [text(`${watched.size} watched.`)];
    },
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...object({
        name: string(),
        address: { $ref: "#/$defs/address" },
        contactMethod: string({ enum: ["phone", "email"] }),
        ...{ phone: string(), email: string() },
      }),
      $defs: {
        address: { $anchor: "addressDef", ...object({ street: string(), city: string() }) },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    call: (args) => [text(JSON.stringify(args))],
  },
};

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.entries(tools).map(([name, { inputSchema = object() }]) => ({
    ...{ name, description: `Answers to ${name.replaceAll("_", " ")}.`, inputSchema },
    annotations: { readOnlyHint: true, openWorldHint: false },
  })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
  try {
    return { content: await tools[params.name].call(params.arguments ?? {}, extra) };
  } catch (error) {
    return { content: [text(error.message)], isError: true };
  }
});

const said = (content) => ({ role: "user", content });
const argument = (name) => ({ name, description: `Its ${name}.`, required: true });
const prompts = {
  test_simple_prompt: { get: () => [said(text("This is a simple prompt for testing."))] },
  test_prompt_with_arguments: {
    arguments: [argument("arg1"), argument("arg2")],
    get: ({ arg1, arg2 }) => [said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    arguments: [argument("resourceUri")],
    get: ({ resourceUri }) => [
      said(embedded(resourceUri, "text/plain", "Embedded resource content for testing.")),
      said(text("Please process the embedded resource above.")),
    ],
  },
  test_prompt_with_image: { get: () => [said(image), said(text("Please analyze the image above."))] },
};
server.setRequestHandler(ListPromptsRequestSchema, () => ({
  prompts: Object.entries(prompts).map(([name, prompt]) => ({
    ...{ name, description: `Says ${name.replaceAll("_", " ")}.` },
    arguments: prompt.arguments ?? [],
  })),
}));
server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
  messages: prompts[params.name].get(params.arguments ?? {}),
}));

const resources = {
  "test://static-text": {
    ...{ name: "Text", mimeType: "text/plain" },
    text: "This is the content of the static text resource.",
  },
  "test://static-binary": { name: "Bytes", mimeType: "image/png", blob: png },
  "test://watched-resource": { name: "Watched", mimeType: "text/plain", text: "It changes." },
};
server.setRequestHandler(ListResourcesRequestSchema, () => ({
  resources: Object.entries(resources).map(([uri, { name, mimeType }]) => ({
    ...{ uri, name, mimeType, description: `${name}.` },
  })),
}));
server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
  resourceTemplates: [
    {
      ...{ uriTemplate: "test://template/{id}/data", name: "Data", description: "Data of an id." },
      mimeType: "application/json",
    },
  ],
}));
server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  if (id) return { contents: [{ uri, mimeType: "application/json", text: data }] };
  const { name: _, ...resource } = resources[uri];
  return { contents: [{ uri, ...resource }] };
});
server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }) => {
  watched.add(uri);
  return {};
});
server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
  watched.delete(uri);
  return {};
});
server.setRequestHandler(CompleteRequestSchema, () => ({
  completion: { values: ["paris", "park"], total: 2 },
}));

await server.connect(new StdioServerTransport());
