import { resolve } from "node:path";
import { expect, test } from "vitest";
import { allowedHosts, checkShared, publicUrl, readEnv } from "./env";
import { processesFor, runsFor, usableMemory } from "./memory";

test("nothing set gives a local server with its data beside it", () => {
  expect(readEnv({})).toMatchObject({
    PORT: 3000,
    HOST: "127.0.0.1",
    DATA_DIR: resolve("data"),
    MCP_CONFIG: resolve("mcp-servers.json"),
    MCP_MAX_PROCESSES: processesFor(usableMemory()),
    MAX_RUNS: runsFor(usableMemory()),
    DRAIN_SECONDS: 30,
    ATTACHMENTS_MAX_MB: 10_240,
    TOOL_APPROVAL: "ask",
    PRIVATE_HOSTS: [],
  });
});

test("a default model may be of a named endpoint", () => {
  expect(readEnv({ DEFAULT_MODEL: "lab-2/org/model" }).DEFAULT_MODEL).toBe("lab-2/org/model");
});

test("an empty variable counts as not set", () => {
  expect(readEnv({ PORT: "", DEFAULT_MODEL: "" })).toMatchObject({ PORT: 3000 });
});

test.each([
  [{ PORT: "many" }, /^PORT /],
  [{ PORT: "70000" }, /^PORT /],
  [{ DEFAULT_MODEL: "gemini" }, /^DEFAULT_MODEL must be "provider\/name"/],
  [{ PROMPTED_JSON_MODELS: "openai/a, llama" }, /^PROMPTED_JSON_MODELS must be a list of "provider\/name"/],
  [{ TOOL_APPROVAL: "yes" }, /^TOOL_APPROVAL must be "ask" or "allow"/],
  [{ ATTACHMENTS_MAX_MB: "0" }, /^ATTACHMENTS_MAX_MB must be 1 or more/],
  [{ MCP_MAX_PROCESSES: "0" }, /^MCP_MAX_PROCESSES must be 1 or more/],
  [{ MCP_MAX_PROCESSES: "some" }, /^MCP_MAX_PROCESSES must be a number/],
  [{ MAX_RUNS: "0" }, /^MAX_RUNS must be 1 or more/],
  [{ MAX_RUNS: "1e9" }, /^MAX_RUNS must be 10000 or less/],
  [{ MAX_RUNS: "2.5" }, /^MAX_RUNS must be a whole number/],
  [{ MAX_RUNS: "many" }, /^MAX_RUNS must be a number/],
  [{ DRAIN_SECONDS: "901" }, /^DRAIN_SECONDS must be 900 or less/],
  [{ DRAIN_SECONDS: "-1" }, /^DRAIN_SECONDS must be 0 or more/],
  [{ AUTH: "account" }, /^AUTH must be "local" or "accounts"/],
  [{ DATABASE_URL: "mysql://x/y" }, /^DATABASE_URL must be a postgres:\/\/ address/],
  [
    { DATABASE_URL: "postgres://x/y" },
    /^APP_SECRET must be set as well, as DATABASE_URL is, .*`openssl rand -base64 32`.*DATA_DIR\.$/,
  ],
  [
    { REDIS_URL: "redis://h:6379" },
    /^REDIS_URL is for several instances, .*set that as well, or remove REDIS_URL to start\.$/,
  ],
  [{ MCP_CONFIG_MODE: "file" }, /^MCP_CONFIG_MODE is for DATABASE_URL, .*remove MCP_CONFIG_MODE to start\.$/],
  [{ MCP_CONFIG_MODE: "git" }, /^MCP_CONFIG_MODE must be "database" or "file"/],
  [{ PUBLIC_URL: "meguri.example" }, /^PUBLIC_URL must be a http/],
  [{ APP_SECRET: "short" }, /^APP_SECRET must have at least 32/],
  [{ PRIVATE_HOSTS: "10.0.0.1" }, /^PRIVATE_HOSTS must be a list of host:port/],
])("%j stops the start with the name and what it wants", (source, message) => {
  expect(() => readEnv(source as Record<string, string>)).toThrow(message);
});

test.each([
  ...["http://:pass-word@h", "h:6379", "redis:///0", "redis://:pass-word@h/jobs", "rediss://h?x=pass-word"],
  "redis://:pass-word%@h",
])("%s is no address of Redis, which is said without it", (REDIS_URL) => {
  expect(() => readEnv({ ...shared, REDIS_URL })).toThrow(
    /^REDIS_URL must be a redis:\/\/ or rediss:\/\/ address, for example redis:\/\/:password@host:6379\.$/,
  );
});

const shared = {
  ...{ DATABASE_URL: "postgres://x/y", APP_SECRET: "a secret of 32 characters or more" },
  ...{ PUBLIC_URL: "https://meguri.example", LAUNCH_TOKEN: "token-of-sixteen-letters" },
};

test("what instances of one database have in common comes from the environment, or they do not start", () => {
  const check = (env: Record<string, string>) => () => checkShared(readEnv(env));
  expect(check({})).not.toThrow();
  expect(check(shared)).not.toThrow();
  expect(check({ ...shared, AUTH: "accounts", LAUNCH_TOKEN: "" })).not.toThrow();
  expect(check({ ...shared, LAUNCH_TOKEN: "" })).toThrow(
    /^LAUNCH_TOKEN must be set as well, .*`openssl rand -hex 24`.*secrets\.json of DATA_DIR\.$/,
  );
  expect(check({ ...shared, PUBLIC_URL: "", PORT: "3005" })).toThrow(
    /^PUBLIC_URL must be set as well, as DATABASE_URL is: .* or http:\/\/127\.0\.0\.1:3005 /,
  );
  for (const REDIS_URL of ["redis://127.0.0.1", "rediss://ann:p%40ss@h.example:6380/3"])
    expect(readEnv({ ...shared, REDIS_URL }).REDIS_URL).toBe(REDIS_URL);
  expect(readEnv({ ...shared, MCP_CONFIG_MODE: "file" }).MCP_CONFIG_MODE).toBe("file");
});

const oidc = {
  ...{ AUTH: "accounts", OIDC_ISSUER: "https://id.acme.dev/tenant" },
  ...{ OIDC_CLIENT_ID: "meguri", OIDC_CLIENT_SECRET: "secret" },
};

test("an identity provider is named as a whole, over https or on this machine, and with accounts alone", () => {
  expect(readEnv({ ...oidc, OIDC_DOMAINS: "Acme.dev, acme.co.jp" })).toMatchObject({
    OIDC_DOMAINS: ["acme.dev", "acme.co.jp"],
  });
  expect(readEnv({ ...oidc, OIDC_ISSUER: "http://127.0.0.1:9000" }).OIDC_ISSUER).toBe(
    "http://127.0.0.1:9000",
  );
});

test.each([
  [
    { ...oidc, OIDC_CLIENT_SECRET: "" },
    /^OIDC_CLIENT_SECRET must be set as well, as OIDC_ISSUER and OIDC_CLIENT_ID are\./,
  ],
  [{ ...oidc, OIDC_CLIENT_ID: "" }, /^OIDC_CLIENT_ID must be set as well/],
  [
    { AUTH: "accounts", OIDC_CLIENT_SECRET: "s" },
    /^OIDC_ISSUER must be set as well, as OIDC_CLIENT_SECRET is\./,
  ],
  [{ ...oidc, AUTH: "local" }, /^OIDC_ISSUER is for AUTH=accounts/],
  [{ ...oidc, OIDC_ISSUER: "http://id.acme.dev" }, /^OIDC_ISSUER must be an https/],
  [{ ...oidc, OIDC_ISSUER: "id.acme.dev" }, /^OIDC_ISSUER must be an https/],
  [
    { ...oidc, OIDC_ISSUER: "https://id.acme.dev/.well-known/openid-configuration" },
    /^OIDC_ISSUER .* without \/\.well-known/,
  ],
  [{ ...oidc, OIDC_ISSUER: "https://a:b@id.acme.dev" }, /^OIDC_ISSUER must be an https/],
  [{ ...oidc, OIDC_DOMAINS: "@acme.dev" }, /^OIDC_DOMAINS must be a list of domains/],
])("%j stops the start with the variable that is wrong or missing", (source, message) => {
  expect(() => readEnv(source as Record<string, string>)).toThrow(message);
});

test("people reach us under loopback names with our port, and under PUBLIC_URL", () => {
  const env = { PORT: 3000, PUBLIC_URL: "https://meguri.example/" };
  expect([...allowedHosts(env)]).toEqual([
    "127.0.0.1:3000",
    "localhost:3000",
    "[::1]:3000",
    "meguri.example",
  ]);
  expect(publicUrl(env)).toBe("https://meguri.example");
});
