import { expect, test } from "vitest";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { growth } from "@/lib/protocol/testing/growth";
import { expandVariables } from "./expand-variables";
import { type Hiding, hideSecrets } from "./hide-secrets";

const ref = (name: string) => `\${secret:${name}}`;
const random = "9f8Q7b6c5D4e3f2a1b0c9d8e";
const hooks = "https://hooks.slack.com/services/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";

/** Puts the secrets back: the result has to be the original text. */
function putBack(config: McpServerConfig, values: ReadonlyMap<string, string>): unknown {
  const walk = (at: unknown): unknown => {
    if (typeof at === "string")
      return at.replace(/\$\{secret:([\w-]+)\}/g, (all, name: string) => values.get(name) ?? all);
    if (Array.isArray(at)) return at.map(walk);
    if (typeof at !== "object" || at === null) return at;
    return Object.fromEntries(Object.entries(at).map(([key, member]) => [key, walk(member)]));
  };
  return walk(config);
}

function hidden(config: McpServerConfig, hiding: Hiding): string {
  const found = hideSecrets(config, hiding);
  const values = found.secrets.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value] as const],
  );
  expect(putBack(found.config, new Map(values))).toEqual(config);
  // Stored values are inserted as they are: a reference inside one would not be expanded.
  if (hiding === "clear")
    for (const [, value] of values) expect(expandVariables(value, "", nothing)).toBe(value);
  return JSON.stringify(found.config);
}

const nothing = { env: {}, reserved: [], root: "/", dataDir: "/" };
const stdio = (args: string[]): McpServerConfig => ({ command: "x", args });
const env = (values: Record<string, string>): McpServerConfig => ({ command: "x", env: values });

const everywhere: [string, McpServerConfig][] = [
  ["hunter2", { command: "x", env: { PASSWORD: "hunter2" } }],
  ["hunter2", { url: "https://x.example/mcp?api_key=hunter2" }],
  ["hunter2", { url: "https://x.example/mcp#access_token=hunter2" }],
  ["hunter2", { url: "https://me:hunter2@x.example/mcp" }],
  ["hunter2", { url: "https://hunter2:@x.example/mcp" }],
  ["hunter2", { url: `https://\${ME}:hunter2@x.example/mcp` }],
  ["hunter2", { url: "https://x.example/mcp", headers: { Authorization: "Bearer hunter2" } }],
  ["hunter2", { url: "https://x.example/mcp", headers: { Cookie: "a=1; session=hunter2" } }],
  ["hunter2", { url: "https://x.example/mcp", oauth: { clientId: "me", clientSecret: "hunter2" } }],
  ["hunter2", { url: "https://x.example/mcp", oauth: { clientSecret: "${hunter2" } }],
  ["hunter2", env({ API_TOKEN: "${hunter2" })],
  ["hunter2", stdio(["-y", "mcp-remote", "https://x.example/mcp?token=hunter2"])],
  ["hunter2", stdio(["--url=https://x.example/mcp?a=1&token=hunter2"])],
  ["hunter2", stdio(["--header", "Authorization:hunter2"])],
  ["hunter2", stdio(["--header=Authorization: Bearer hunter2"])],
  ["hunter2", stdio(["-H", "X-Api-Key: hunter2"])],
  ["hunter2", stdio(["run", "-e", "API_KEY=hunter2", "image"])],
  ["hunter2", stdio(["run", "--env=API_KEY=hunter2", "image"])],
  ["hunter2", stdio(["-c", "export API_KEY=hunter2; node x"])],
  ["hunter2", stdio(["--config", '{"port": 1, "apiKey": "hunter2"}'])],
  ["hunter2", stdio(["--auth.token=hunter2"])],
  ["hunter2", stdio(["redis://:hunter2@localhost:6379/0"])],
  ["hunter2", stdio(["--from", "git+https://me:hunter2@git.example/x.git"])],
  ["hunter2", env({ OPENAPI_MCP_HEADERS: '{"Authorization": "Bearer hunter2", "Version": "1"}' })],
  ["hunter2", env({ OPTIONS: '{\\"apiKey\\": \\"hunter2\\"}' })],
  ["hunter2", env({ DB: "Server=db;User Id=me;Password=hunter2" })],
  ["hunter2", env({ DB: `postgres://me:hunter2@\${HOST}:1/x` })],
  ["hunter2", env({ PROXY: "http://me:hunter2@proxy.example:8080" })],
  [random, env({ WEBHOOK: hooks })],
  [random, { url: `https://mcp.example/s/${random}/mcp` }],
  [random, { url: `https://${random}.example/mcp` }],
  [random, { url: `https://x.example/mcp?${random}` }],
  [random, env({ STRIPE_KEY: random })],
  [random, stdio(["mcp-remote", hooks])],
  ["MIIE", env({ PEM: "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----" })],
  ["MIIE", stdio(["-----BEGIN RSA PRIVATE KEY-----\nMIIE"])],
];

test.each(everywhere)("%s of %j is in no copy, and in no file that keeps secrets apart", (secret, config) => {
  expect(JSON.stringify(config)).toContain(secret);
  expect(hidden(config, "all")).not.toContain(secret);
  expect(hidden(config, "clear")).not.toContain(secret);
});

const inCopies: [string, McpServerConfig][] = [
  ["1234", env({ PASSWORD: "1234" })],
  ["4096", env({ AUTH_PIN: "4096" })],
  ["/hunter2", env({ API_TOKEN: "/hunter2" })],
  ["hunter2", env({ SECRET_URL: "https://x.example/hunter2" })],
  ["hunter2", env({ API_TOKEN: `hunter2\${X}` })],
  ["hunter2", env({ API_TOKEN: `\${API_TOKEN:-hunter2}` })],
  ["hunter2", env({ DB_PASS: "hunter2" })],
  ["hunter2", env({ LOGIN: "hunter2", DSN: "hunter2" })],
  ["hunter2", env({ ODD: `\${X:-correct hunter2 horse}` })],
  ["1234", { url: "https://x.example/mcp?pin=1234" }],
  ["hunter2", { url: `\${BASE:-https://x.example/mcp?token=hunter2}` }],
  ["hunter2", { url: "https://x.example/mcp", oauth: { clientSecret: `hunter2\${X}` } }],
  ["hunter2", { url: "https://x.example/mcp", oauth: { extra: { token: "hunter2" } } } as McpServerConfig],
  ["hunter2", { url: "https://x.example/mcp", headers: { "X-User": "me:hunter2" } }],
  ["hunter2", stdio(["-u", "me:hunter2"])],
  ["hunter2", stdio(["--password", "/hunter2"])],
  ["hunter2", stdio(["--api-key", `hunter2\${X}`])],
  ["hunter2", stdio(["--note", "correct hunter2 horse"])],
  ["hunter2", stdio(["password:hunter2"])],
  ["hunter2", stdio(["-c", "x password=/hunter2"])],
  [random, stdio([random])],
  [random, stdio(["--flag", `-${random}`])],
  [random, stdio(["--id", "5f8d0d55-b547-4642-9b71-56c59f8Q7b6c5D4e3f2a1b0c9d8e"])],
  [random, env({ ODD: `/${random}` })],
  ["hunter2", { command: "env API_KEY=hunter2 node x.js" }],
  ["hunter2", { command: "x", apiKey: "hunter2" }],
  ["hunter2", { command: "x", nested: [{ env: { ODD: "a hunter2" } }, { args: ["--token", "hunter2"] }] }],
  [random, { command: "x", notes: `it is ${random}` }],
];

test.each(inCopies)("%s of %j is in no copy", (secret, config) => {
  expect(JSON.stringify(config)).toContain(secret);
  expect(hidden(config, "all")).not.toContain(secret);
  hidden(config, "clear");
});

test("a number that is named like a secret is in no copy", () => {
  const { config } = hideSecrets({ command: "x", nested: { password: 1234, port: 1234 } }, "all");
  expect(config.nested).toEqual({ password: ref("password"), port: 1234 });
});

test("a thousand values of one name are a thousand secrets", () => {
  const args = Array.from({ length: 2_000 }, (_, index) => (index % 2 ? `value ${index}` : "--token"));
  hidden(stdio(args), "clear");
  expect(hideSecrets(stdio(args), "clear").secrets).toHaveLength(1_000);
});

test.each(["${", "${secret:", "${A:-", "a=", "?", "://", "a:", '"a":', "a-1", "/", "x@", "&a=", "Bearer "])(
  "a hostile text of %j is read in no time",
  (piece) => {
    const hide = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const entry = {
        url: `https://x/${text}`,
        env: { A: text, TOKEN: text },
        args: [text, `https://${text}`, "-H", text],
        c: text,
      };
      for (const hiding of ["clear", "all"] as const) hideSecrets(entry, hiding);
    };
    expect(growth(50_000, hide)).toBeLessThan(8);
  },
);

test("an entry of very many secrets and references is read in no time", () => {
  const values = (value: (index: number) => string) =>
    env(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`鍵${index}_TOKEN`, value(index)])));
  const one = hideSecrets(
    values((index) => ref(`a${index}`)),
    "clear",
  );
  expect(one.secrets.at(-1)?.field).toBe("env.鍵19999_TOKEN");
  const other = hideSecrets(
    env(
      Object.fromEntries(
        Array.from({ length: 20_000 }, (_, index) => [
          `TOKEN${"鍵".repeat(index % 50)}${"語".repeat(Math.floor(index / 50))}`,
          `t${index}`,
        ]),
      ),
    ),
    "clear",
  );
  expect(new Set(other.secrets.map(({ name }) => name)).size).toBe(other.secrets.length);
});
