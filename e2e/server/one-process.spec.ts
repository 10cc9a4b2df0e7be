import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { endOf } from "../support/follow-stream";
import { processesWith } from "../support/processes";
import { expect, test } from "../support/server-test";

test("a server over stdio is one process, whatever the number of runs, readers and page loads", async ({
  startWithModel,
  gated,
}) => {
  const { app } = await startWithModel(
    ({ toolResults }) =>
      toolResults.length === 0 ? [callTools({ name: "gated__work", args: {} })] : [say("It is done.")],
    { mcpConfig: { mcpServers: { gated: gated.config } }, env: { TOOL_APPROVAL: "allow" } },
  );
  const api = apiOf(app);
  await expect.poll(async () => (await api.server("gated")).status).toBe("ready");
  const { pid } = await api.server("gated");
  const processes = processesWith(gated.journal).length;
  const starts = () => gated.lines().filter(({ event }) => event === "start").length;

  const live = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => api.ask(`Work, ${number}`)));
  await expect.poll(() => gated.calls().length).toBe(6);
  const readers = await Promise.all(live.flatMap(({ runId }) => [api.follow(runId), api.follow(runId)]));
  await Promise.all(["/", "/settings/mcp", "/"].map(async (path) => (await app.fetch(path)).text()));
  gated.open();
  await Promise.all([...live, ...readers].map(({ closed }) => closed));
  for (const { events } of [...live, ...readers]) expect(endOf(events).finalText).toBe("It is done.");

  expect(gated.calls()).toHaveLength(6);
  expect(starts()).toBe(1);
  expect(processesWith(gated.journal)).toHaveLength(processes);
  expect(await api.server("gated")).toMatchObject({ status: "ready", pid });
});

test("what routes have in common stands once in the build", async () => {
  const folder = join(
    import.meta.dirname,
    "../..",
    process.env.E2E_DIST_DIR ?? ".next-test",
    "server/chunks",
  );
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  const seen = new Map<string, string[]>();
  for (const name of names) {
    // Each names its own source map.
    const text = readFileSync(join(folder, name), "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "");
    // Below that it is not worth a second file.
    if (text.length >= 4_096) seen.set(text, [...(seen.get(text) ?? []), name]);
  }
  expect(seen.size).toBeGreaterThan(50);
  expect([...seen.values()].filter((same) => same.length > 1)).toEqual([]);
});

test("what is fetched ahead of a conversation has one loader in the build, whichever page is open", async () => {
  const folder = join(
    import.meta.dirname,
    "../..",
    process.env.E2E_DIST_DIR ?? ".next-test",
    "static/chunks",
  );
  const chunks = readdirSync(folder)
    .filter((name) => name.endsWith(".js"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  /** How each chunk that knows it loads the module behind `import()`. */
  const loadersOf = (id: string) =>
    chunks.flatMap((text) => text.match(new RegExp(`\\b${id},\\w=>\\{\\w\\.v\\(.*?\\}\\)`, "g")) ?? []);
  const watch = chunks.filter((text) => text.includes('"meguri.loaded"'));
  expect(watch).toHaveLength(1);
  const asked = [...(watch[0] ?? "").matchAll(/\b\w\.A\((\d+)\)\.catch/g)].map(([, id = ""]) => id);
  expect(asked).toHaveLength(1);
  // The browser takes the first it sees: one of a page that is still loading would not wait for what that page brings.
  expect(loadersOf(asked[0] ?? "")).toHaveLength(1);
});
