import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { jpeg, jpegSegment } from "@/lib/providers/testing/pictures";
import { callTools, say, think } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { endOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";
import { serversReady } from "../support/test";

const canary = /canary/i;

/** A text with all that stands in it as base64, wherever that begins. */
const decoded = (text: string): string =>
  [...text.matchAll(/[A-Za-z0-9+/_-]{8,}/g)].reduce(
    (told, [token]) =>
      told + [0, 1, 2, 3].map((at) => Buffer.from(token.slice(at), "base64").toString("latin1")).join("\n"),
    text,
  );

/** Every byte that a stranger gets at an address, headers included. */
async function sent(app: App, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(new URL(path, app.baseUrl), { headers });
  const body = Buffer.from(await response.arrayBuffer()).toString("latin1");
  return { status: response.status, text: `${JSON.stringify([...response.headers])}\n${body}` };
}

test("no address of a link sends a byte of what its policy hides, or of what is the owner's", async ({
  start,
}) => {
  const model = await startOpenAiServer(
    [
      [
        think("canary-thought"),
        callTools(
          { name: "wiki__echo", args: { text: "canary-args" } },
          { name: "meguri__read_result", args: { id: "canary-call" } },
        ),
      ],
      [say("Visible answer for [aiko@canary.acme.dev](https://canary.acme.corp/x).")],
    ],
    { capabilities: ["completion", "tools", "vision"] },
  );
  const app = await start({
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "canary-key-of-openai", TOOL_APPROVAL: "allow" },
    mcpConfig: {
      mcpServers: {
        wiki: {
          command: "node",
          args: ["lib/mcp/testing/fixture-server.mjs", "plain", "--note=canary-argument"],
          env: { TOKEN: "canary-environment" },
        },
      },
    },
  });
  await serversReady(app);
  const api = apiOf(app);
  await api.patch("/api/settings", { instructions: "canary-general", displayName: "Canary-name" });
  const assistant = await api.post<{ id: string }>("/api/assistants", {
    name: "canary-assistant",
    instructions: "canary-role",
  });
  const project = await api.post<{ id: string }>("/api/projects", {
    name: "canary-project",
    instructions: "canary-ground",
  });
  const upload = async (bytes: Buffer, name: string, type: string) => {
    const headers = { "content-type": type, "x-filename": name };
    const response = await app.fetch("/api/attachments", {
      method: "POST",
      headers,
      body: new Uint8Array(bytes),
    });
    return ((await response.json()) as { id: string }).id;
  };
  const exif = jpegSegment(0xe1, Buffer.from("Exif\0\0MM\0*\0\0\0\x08\0\0canary-place", "latin1"));
  const photo = await upload(
    jpeg([exif, jpegSegment(0xfe, Buffer.from("canary-comment"))]),
    "photo.jpg",
    "image/jpeg",
  );
  const text = await upload(Buffer.from("canary-words"), "canary-name.txt", "text/plain");
  const choice = { assistant: assistant.id, instructions: "canary-own", servers: ["wiki"] };
  const { id: conversation } = await api.post<{ id: string }>("/api/conversations", {
    choice,
    projectId: project.id,
  });
  const message = { text: "Visible question", attachments: [{ id: photo }] };
  const first = await api.ask("", { message, conversationId: conversation, model: "openai/test" });
  await first.closed;
  expect(endOf(first.events)).toMatchObject({ stopReason: "end_turn" });
  await api.patch(`/api/conversations/${conversation}`, { title: "Visible title" });

  const policy = { default: "hidden", reasoning: false, attachments: true };
  const more = { policy, replay: true, redact: true };
  const { token, preview } = await api.post<{ token: string; preview: object }>(
    `/api/conversations/${conversation}/shares`,
    more,
  );
  expect(decoded(JSON.stringify(preview))).not.toMatch(canary);
  const page = `/share/${token}`;
  const payload = { rsc: "1" };
  const shown = [
    await sent(app, page),
    await sent(app, `${page}?play`),
    await sent(app, page, { "accept-language": "ja" }),
    await sent(app, page, payload),
    await sent(app, `${page}?play&_rsc=1`, payload),
    await sent(app, `/api/share/${token}`),
    await sent(app, `/api/share/${token}?format=html`),
  ];
  for (const { status, text: told } of shown) {
    expect(status).toBe(200);
    expect(told).toContain("Visible answer");
    expect(told).toContain("Visible title");
    expect(decoded(told)).not.toMatch(canary);
    for (const own of [assistant.id, project.id, text, conversation]) expect(told).not.toContain(own);
  }
  const others = [
    await sent(app, "/share.png"),
    await sent(app, `/api/share/${token}/attachments/${photo}`),
    await sent(app, `/api/share/${token}/attachments/${photo}?as=text`),
    await sent(app, `/api/share/${token}/attachments/${text}`),
    await sent(app, `${page}/opengraph-image`),
    await sent(app, `/api/share/${token}?format=pdf`),
    await sent(app, `/api/conversations/${conversation}`),
  ];
  expect(others.map(({ status }) => status)).toEqual([200, 200, 404, 404, 401, 400, 401]);
  for (const { text: told } of others) expect(decoded(told)).not.toMatch(canary);
  expect(shown[0]?.text).toMatch(/<meta property="og:title" content="Visible title"/);

  // What was sent is not kept on the way, and ends with the link.
  const { items } = await api.get<{ items: { id: string; url: string }[] }>("/api/shares");
  await api.send("DELETE", `/api/shares/${items[0]?.id}`);
  const gone = [page, `${page}?play`, `/api/share/${token}`, `/api/share/${token}?format=html`];
  for (const path of gone) {
    const { status, text: told } = await sent(app, path);
    expect(status).toBe(410);
    expect(told).not.toContain("Visible");
    expect(told).toContain("no-store");
  }
  await model.close();
});
