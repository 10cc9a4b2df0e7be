import { afterEach, expect, test } from "vitest";
import {
  digestOf,
  skillFiles as files,
  forms,
  frontmatter,
  manifest,
  startSkillServer,
} from "@/lib/mcp/testing/skill-server";
import { openPool } from "@/lib/mcp/testing/test-pool";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** `served` is the text that the server really returns. */
async function skillServer(served: Record<string, string> = files) {
  const server = await startSkillServer();
  server.served = served;
  const { asked } = server;
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
    {
      server: "skills",
      uri: manifest,
      ...frontmatter,
      files: [manifest, forms],
      digest: digestOf(files[manifest] ?? ""),
    },
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
