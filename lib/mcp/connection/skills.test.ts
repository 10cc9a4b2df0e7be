import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { listen } from "@/lib/mcp/testing/http-server";
import { openPool } from "@/lib/mcp/testing/test-pool";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const manifest = "skill://pdf/SKILL.md";
const forms = "skill://pdf/references/FORMS.md";
const frontmatter = { name: "pdf", description: "Fills forms." };
const files: Record<string, string> = {
  [manifest]: "---\nname: pdf\ndescription: Fills forms.\n---\n\nRead FORMS.md first.\n",
  [forms]: "Only blue ink.\n",
};
const entry = (uri: string) => ({
  uri,
  size: Buffer.byteLength(files[uri] ?? ""),
  digest: `sha256:${createHash("sha256")
    .update(files[uri] ?? "")
    .digest("hex")}`,
});
const skill = { uri: manifest, frontmatter, resources: [entry(manifest), entry(forms)] };

/** A server of 2025 with one valid skill and one invalid; `served` is the text that it really returns. */
async function skillServer(served: Record<string, string> = files) {
  const asked: string[] = [];
  const server = await listen(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(String(Buffer.concat(parts)));
    asked.push(method === "resources/read" ? params.uri : method);
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: "2025-11-25",
        serverInfo: { name: "skills", version: "1" },
        capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } },
      },
      "skills/list": { skills: [skill, { uri: "skill://broken/SKILL.md" }] },
      "resources/list": { resources: [] },
      "resources/templates/list": { resourceTemplates: [] },
      "resources/read": { contents: [{ uri: params?.uri, text: served[params?.uri] ?? "" }] },
    };
    if (id === undefined) return response.writeHead(202).end();
    const result = results[method];
    const body = result ? { result } : { error: { code: -32601, message: "Method not found" } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  });
  closing.push(server.close);
  const { pool, ready, until, close } = await openPool({ skills: { url: server.url } });
  closing.push(close);
  await ready("skills");
  await until(() => pool.library.skills().length > 0);
  const read = async (file?: string) => {
    const [part] = await pool.library.readSkill("skills", manifest, file, AbortSignal.timeout(10_000));
    return part?.type === "text" ? part.text : part;
  };
  return { pool, read, asked };
}

test("a skill is listed by its entry; its files are fetched when it is loaded, and not before", async () => {
  const { pool, read, asked } = await skillServer();
  expect(pool.library.skills()).toEqual([
    { server: "skills", uri: manifest, ...frontmatter, files: [manifest, forms] },
  ]);
  expect(pool.logs("skills").map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/^A skill is left out\. skill:\/\/broken\/SKILL\.md: /),
  );
  expect(asked).not.toContain(manifest);
  expect(await read()).toBe(files[manifest]);
  expect(await read(forms)).toBe(files[forms]);
});

test.each([
  ["a file of another size", { [manifest]: `${files[manifest]}And more.\n` }],
  ["a file with another digest", { [manifest]: files[manifest]?.replace("first", "never") ?? "" }],
])("%s is refused, and the skill's other files are not even asked for", async (_, tampered) => {
  const { read, asked } = await skillServer({ ...files, ...tampered });
  await expect(read()).rejects.toMatchObject({ code: "failed", message: expect.stringContaining(manifest) });
  await expect(read(forms)).rejects.toMatchObject({ code: "failed" });
  expect(asked).not.toContain(forms);
});

test("a file that the entry does not name, and a skill that is not listed, are not fetched", async () => {
  const { pool, read, asked } = await skillServer();
  await expect(read("skill://pdf/OTHER.md")).rejects.toMatchObject({ code: "failed" });
  expect(asked).not.toContain("skill://pdf/OTHER.md");
  const unknown = pool.library.readSkill(
    "skills",
    "skill://x/SKILL.md",
    undefined,
    AbortSignal.timeout(10_000),
  );
  await expect(unknown).rejects.toMatchObject({ code: "not_found" });
});
