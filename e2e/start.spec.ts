import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { expect, test } from "@playwright/test";
import { type App, startApp } from "./support/app";

/** What a start that cannot succeed prints besides the lines of Next.js. */
async function refusal(env: Record<string, string>): Promise<string> {
  const error = await startApp({ env }).then(
    async (app) => {
      await app.dispose();
      return new Error("It started.");
    },
    (cause: Error) => cause,
  );
  return error.message;
}

test.describe("a running instance", () => {
  let app: App;
  test.beforeAll(async () => {
    app = await startApp();
  });
  test.afterAll(() => app.dispose());

  test("the printed address is the last line and signs a browser in", async () => {
    expect(app.output().trimEnd().split("\n").at(-1)).toBe(`Meguri is ready: ${app.url}`);
    const response = await fetch(app.url, { redirect: "manual" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/");
    expect(response.headers.get("set-cookie")).toContain("HttpOnly");
  });

  test("a foreign Host is refused on pages, API, streams and static files", async () => {
    const paths = [
      "/",
      "/api/health",
      "/api/runs/any/stream",
      "/_next/static/any.js",
      "/icon.svg",
      "/share/any",
    ];
    for (const path of paths) {
      for (const host of ["evil.example", `localhost.evil.example:${new URL(app.baseUrl).port}`]) {
        expect([path, host, await getAs(host, path)]).toEqual([
          path,
          host,
          { status: 403, code: "forbidden_host" },
        ]);
      }
    }
  });

  test("a second start on its port ends with a sentence and leaves it alone", async () => {
    const { port } = new URL(app.baseUrl);
    expect(await refusal({ PORT: port })).toContain(
      `Port ${port} on 127.0.0.1 is in use: stop the program that uses it`,
    );
    expect((await app.fetch("/api/health")).status).toBe(200);
  });

  test("a second start on its data folder ends with a sentence that names its process", async () => {
    const message = await refusal({ DATA_DIR: app.dataDir });
    expect(message).toContain(String(app.pid));
    expect(message).not.toContain("    at ");
    expect((await app.fetch("/api/health")).status).toBe(200);
  });

  /** `fetch` does not let a caller name the host. */
  function getAs(host: string, path: string): Promise<{ status: number | undefined; code: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(app.baseUrl + path, { headers: { host } }, async (response) => {
        const body = (await response.setEncoding("utf8").toArray()).join("");
        resolve({ status: response.statusCode, code: body && JSON.parse(body).error.code });
      });
      sent.on("error", reject).end();
    });
  }
});

for (const [env, sentence] of [
  [{ PORT: "http" }, 'PORT must be a number from 0 to 65535, not "http".'],
  [{ HOST: "0.0.0.0" }, "HOST=0.0.0.0 would open Meguri to the network"],
  [{ AUTH: "accounts" }, "AUTH=accounts is not supported by this version yet"],
  [{ TOOL_APPROVAL: "maybe" }, "TOOL_APPROVAL"],
  [{ DEFAULT_MODEL: "gemini" }, "DEFAULT_MODEL"],
  [{ DATABASE_URL: "postgres://127.0.0.1/meguri" }, "DATABASE_URL"],
] as const) {
  test(`${Object.entries(env).join("").replace(",", "=")} stops the start with a sentence`, async () => {
    const message = await refusal(env);
    expect(message).toContain("ended with code 1");
    expect(message).toContain(sentence);
    expect(message).not.toContain("    at ");
  });
}

test("a data folder that cannot be made stops the start with a sentence", async () => {
  const app = await startApp();
  const file = join(dirname(app.dataDir), "file");
  writeFileSync(file, "");
  const message = await refusal({ DATA_DIR: join(file, "data") });
  await app.dispose();
  expect(message).toContain("DATA_DIR");
  expect(message).not.toContain("    at ");
});

test("SIGTERM ends the process by itself, and the next start has the same token and port", async () => {
  const app = await startApp();
  const { token } = app;
  expect(await app.stop()).toBe(0);
  await expect(fetch(app.baseUrl)).rejects.toThrow();
  await app.restart();
  expect(app.token).toBe(token);
  expect((await app.fetch("/api/conversations")).status).toBe(200);
  await app.dispose();
});
