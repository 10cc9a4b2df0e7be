import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { callApi } from "@/app/api/testing/call-api";
import { say } from "@/lib/providers/testing/steps";
import { servePrograms, testModel } from "./testing/ask-over-openai";

const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture = Buffer.from(dot, "base64");
const [large, huge] = [17 * 1024 * 1024, 21 * 1024 * 1024];

let asked: string[] = [];
let before = 0;
const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host?.split(":")[1]}${request.url}`);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const inside = await serve((_request, response) => void response.end(picture));
const shown = await serve(({ url = "" }, response) => {
  const to = (location: string) => void response.writeHead(302, { location }).end();
  if (url.startsWith("/dot.png")) response.writeHead(200, { "content-type": "text/plain" }).end(picture);
  else if (url === "/moved") to("/dot.png");
  else if (url === "/inward") to(`https://${inside}/secret.png`);
  else if (url === "/metadata") to("https://169.254.169.254/latest");
  else if (url === "/file") to("file:///etc/passwd");
  else if (url === "/round") to("/round");
  else if (url === "/page") response.writeHead(200, { "content-type": "image/png" }).end("<p>A page</p>");
  else if (url === "/empty") response.end();
  else if (url === "/cut")
    response.writeHead(200, { "content-length": 1_000 }).write(picture, () => response.destroy());
  else if (url.startsWith("/large")) response.end(Buffer.concat([picture, Buffer.alloc(large)]));
  else if (url === "/huge") response.end(Buffer.concat([picture, Buffer.alloc(huge)]));
  else response.writeHead(404).end("Not here");
});
const { openai, answers, model } = await servePrograms({}, { MEMBERS_PRIVATE_HOSTS: shown });

beforeAll(async () => {
  await callApi("PATCH", "/api/settings", { models: { [testModel]: { images: true } } });
});
beforeEach(() => {
  asked = [];
  before = model.requests.length;
  answers([say("A dot.")]);
});

const overChat = (url: string) =>
  openai().chat.completions.create({
    model: testModel,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "image_url", image_url: { url } },
        ],
      },
    ],
  });
const overResponses = (url: string) =>
  openai().responses.create({
    model: testModel,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "See" },
          { type: "input_image", image_url: url, detail: "auto" },
        ],
      },
    ],
  });

test.each([
  ["chat", overChat],
  ["responses", overResponses],
])(
  "a picture at an address is fetched and reaches the model as one that was sent: %s",
  async (_wire, ask) => {
    await ask(`http://${shown}/dot.png?size=1#top`);
    await ask(`http://${shown}/moved`);
    expect(asked.map((line) => line.split("/").slice(1).join("/"))).toEqual([
      "dot.png?size=1",
      "moved",
      "dot.png",
    ]);
    const requests = model.requests.slice(before);
    expect(requests).toHaveLength(2);
    for (const { body } of requests)
      expect(JSON.stringify(body.messages)).toContain(`data:image/png;base64,${dot}`);
  },
);

const refusals: [string, string, RegExp][] = [
  ["/inward", "invalid_image_url", /must be an address of the internet/],
  ["/metadata", "invalid_image_url", /must be an address of the internet/],
  ["/file", "invalid_image_url", /must be an https: address/],
  ["/round", "failed_to_download_image", /redirects more than 3 times/],
  ["/gone.png", "failed_to_download_image", /the status 404/],
  ["/page", "unsupported_file", /not an image that can be shown/],
  ["/empty", "invalid_input", /is empty/],
  ["/cut", "failed_to_download_image", /breaks off/],
  ["/huge", "image_too_large", /at most 20 MB/],
];
test.each(refusals)(
  "what an address answers with %s is refused in OpenAI's form",
  async (path, code, sentence) => {
    for (const [ask, param] of [
      [overChat, "messages[0].content[1].image_url.url"],
      [overResponses, "input[0].content[1].image_url"],
    ] as const) {
      const error = await ask(`http://${shown}${path}`).catch((cause) => cause);
      expect(error).toMatchObject({ param, code, type: "invalid_request_error" });
      expect(error.message).toContain(`${param}: `);
      expect(error.message).toMatch(sentence);
    }
    expect(asked.some((line) => line.includes("secret"))).toBe(false);
    expect(model.requests.slice(before)).toEqual([]);
  },
);

test.each([
  `http://${inside}/secret.png`,
  `https://${inside}/secret.png`,
  "https://localhost/a.png",
  "https://169.254.169.254/latest",
  "https://[::1]/a.png",
  "http://example.com/a.png",
  "https://ann:secret@example.com/a.png",
  "ftp://example.com/a.png",
  "/a.png",
  "",
])("nothing is asked of %s", async (url) => {
  const error = await overChat(url).catch((cause) => cause);
  expect(error).toMatchObject({ status: 400, code: "invalid_image_url" });
  expect(error.message).not.toContain("127.0.0.1");
  expect(asked).toEqual([]);
});

const askMany = (paths: string[]) => {
  const content = paths.map((path) => ({
    type: "image_url" as const,
    image_url: { url: `http://${shown}${path}` },
  }));
  return openai()
    .chat.completions.create({ model: testModel, messages: [{ role: "user", content }] })
    .catch((cause) => cause);
};

test("a request may name fifty pictures, and no more is asked for", async () => {
  const error = await askMany(Array(51).fill("/dot.png"));
  expect(error).toMatchObject({ status: 400, param: "messages[0].content[50].image_url.url" });
  expect(asked).toHaveLength(50);
});

test("the pictures of a request have 32 MB together", async () => {
  expect(await askMany(["/dot.png", "/large?1", "/large?2"])).toMatchObject({
    ...{ status: 413, code: "image_too_large", param: "messages[0].content[2].image_url.url" },
  });
  expect(model.requests.slice(before)).toEqual([]);
});
