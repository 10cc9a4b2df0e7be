import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startApp } from "../support/app";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/server-test";

const run = promisify(execFile);

test("the printed address is the last line, signs a browser in, and stays the same after SIGTERM", async ({
  start,
}) => {
  const app = await start(noServers);
  const { token } = app;
  expect(app.output().trimEnd().split("\n").at(-1)).toBe(`Meguri is ready: ${app.url}`);
  const response = await fetch(app.url, { redirect: "manual" });
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe("/");
  expect(response.headers.get("set-cookie")).toContain("HttpOnly");
  expect(await app.stop()).toBe(0);
  await expect(fetch(app.baseUrl)).rejects.toThrow();
  await app.restart();
  expect(app.token).toBe(token);
  expect((await app.fetch("/api/conversations")).status).toBe(200);
});

test("a second start on its port ends with a sentence and leaves it alone", async ({ start }) => {
  const app = await start();
  const { port } = new URL(app.baseUrl);
  await expect(startApp({ env: { PORT: port } })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use: stop the program that uses it`,
  );
  expect((await app.fetch("/api/health")).status).toBe(200);
});

test("the commands of docs/http-api.md work as they stand there", async ({ start }) => {
  const app = await start();
  const text = readFileSync(join(import.meta.dirname, "../../docs/http-api.md"), "utf8");
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? "");
  expect(blocks.length).toBeGreaterThan(1);
  const printed: string[] = [];
  for (const block of blocks) {
    const script = `set -e\n${block.replaceAll("http://127.0.0.1:3000", app.baseUrl)}`;
    const { stdout } = await run("bash", ["-c", script], {
      env: { ...process.env, LAUNCH_TOKEN: app.token },
    });
    printed.push(stdout);
  }
  const none = String.raw`\{"items":\[\],"nextCursor":null,"counts":\{"listed":0,"archived":0\}\}`;
  expect(printed[0]).toMatch(new RegExp(String.raw`^\{"status":"ok".*\}${none}$`));
  // With a token that was just made.
  expect(printed[1]).toMatch(new RegExp(`^${none}$`));
  expect(printed[2]).toMatch(/^event: end\ndata: \{"status":"completed"\}$/m);
});
