import { afterEach, expect, test } from "vitest";
import { listen, streamable } from "./testing/http-server";
import { common, fixture, openPool, textOf } from "./testing/test-pool";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});
const start = async (...args: Parameters<typeof openPool>) => {
  const pool = await openPool(...args);
  closing.push(() => pool.close());
  return pool;
};

test("arguments may name what the entry sets itself, and that comes before the variables of this process", async () => {
  const { ready, run } = await start(
    {
      bridge: {
        ...common(
          "header-bridge",
          "--header",
          `Authorization: Bearer \${AUTH_TOKEN}`,
          `\${REGION:-eu}`,
          `\${OURS}`,
        ),
        env: { AUTH_TOKEN: `\${MY_TOKEN}`, OURS: "of the entry" },
      },
    },
    {
      env: { PATH: process.env.PATH, MY_TOKEN: "t-1", AUTH_TOKEN: "not this one" },
      reservedEnv: ["OURS"],
    },
  );
  await ready("bridge");
  expect(JSON.parse(textOf((await run("bridge__arguments")).result))).toEqual([
    "--header",
    "Authorization: Bearer t-1",
    "eu",
    "of the entry",
  ]);
});

test("a child knows how the network is reached, and the password of the proxy is told nobody", async () => {
  const env = {
    HTTPS_PROXY: "http://me:correct%20horse@proxy.example:3128",
    no_proxy: "localhost",
    NODE_EXTRA_CA_CERTS: "/etc/own-authority.pem",
  };
  const { ready, run, pool } = await start(
    { plain: fixture("plain"), own: { ...fixture("plain"), env: { HTTPS_PROXY: "http://other.example" } } },
    { env: { PATH: process.env.PATH, OPENAI_API_KEY: "sk-canary", ...env } },
  );
  await Promise.all([ready("plain"), ready("own")]);
  const environmentOf = async (name: string) =>
    JSON.parse(textOf((await run(`${name}__environment`)).result));
  const plain = await environmentOf("plain");
  expect(plain).toMatchObject(env);
  expect(plain).not.toHaveProperty("OPENAI_API_KEY");
  expect(await environmentOf("own")).toMatchObject({ ...env, HTTPS_PROXY: "http://other.example" });
  expect(pool.secrets()).toEqual(expect.arrayContaining(["correct%20horse", "correct horse"]));
});

test("resource templates that a server does not know are nothing to tell of", async () => {
  const { until, pool } = await start({ books: fixture("library"), shut: common("shut-library") });
  await until(() => pool.server("books")?.resources === 1 && pool.server("shut")?.status === "ready");
  await until(() => pool.logs("shut").some(({ text }) => text.startsWith("resources/templates/list failed")));
  expect(pool.logs("books").filter(({ text }) => text.includes("failed"))).toEqual([]);
});

test("a bridge for which the first message begins the session is spoken to once more without the probe", async () => {
  const { ready, run } = await start({ bridge: common("begun-by-anything") });
  expect(await ready("bridge")).toMatchObject({ era: "legacy" });
  expect(textOf((await run("bridge__echo")).result)).toBe("through the bridge");
});

test("a server that answers the probe with HTTP 500 is spoken to as an older one", async () => {
  let probes = 0;
  const fixture = streamable(404, ({ method }, _request, response) => {
    if (method !== "server/discover") return false;
    probes++;
    response.writeHead(500, { "content-type": "application/json" });
    response.end('{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal Server Error"},"id":null}');
    return true;
  });
  const server = await listen(fixture.answer);
  closing.push(() => server.close());
  const { ready, run, pool } = await start({ git: { url: server.url } });
  expect(await ready("git")).toMatchObject({ era: "legacy" });
  expect(textOf((await run("git__echo")).result)).toBe("over HTTP");
  await pool.restart("git");
  await ready("git");
  expect(probes).toBe(2);
});

test("a server that fails on either wire says why, and so does one that is not there", async () => {
  const broken = await listen((_request, response) => response.writeHead(500).end("out of order"));
  const gone = await listen(() => {});
  closing.push(() => broken.close());
  await gone.close();
  const { until, pool } = await start({ broken: { url: broken.url }, gone: { url: gone.url } });
  await until(() => pool.list().items.every(({ lastError }) => lastError !== null));
  expect(pool.server("broken")?.lastError?.message).toContain("answered with HTTP 500");
  expect(pool.server("gone")?.lastError).toMatchObject({ code: "connection_refused" });
});

test("a server whose program is not there says which one, and its log keeps the rest", async () => {
  const { until, pool } = await start({ gone: { command: "node", args: ["no/such/server.js"] } });
  await until(() => pool.server("gone")?.lastError !== null, "a fault");
  expect(pool.server("gone")?.lastError?.message).toMatch(
    /^The server ended with exit code 1\. It said: Error: Cannot find module '.*no\/such\/server\.js'$/,
  );
  expect(pool.logs("gone").some(({ text }) => text.startsWith("Node.js v"))).toBe(true);
});
