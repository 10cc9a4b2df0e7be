import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { hideSecrets } from "./hide-secrets";

const ref = (name: string) => `\${secret:${name}}`;
const random = "9f8Q7b6c5D4e3f2a1b0c9d8e";
const hooks = `https://hooks.slack.com/services/T024BE7LD/B0BQX1Z3K/${random}`;

test("a copy of the servers that ship is the file itself", () => {
  const { mcpServers } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../mcp-servers.json"), "utf8"),
  );
  for (const config of Object.values<McpServerConfig>(mcpServers))
    expect(hideSecrets(config, "all").config).toEqual(config);
});

test("a copy stays readable: what plainly is no secret stands in it as it stood", () => {
  const plain: McpServerConfig[] = [
    {
      command: "npx",
      args: [
        "-y",
        "@modelcontextprotocol/server-filesystem@2025.8.21",
        "/Users/me/My Documents",
        "./src/index.ts",
      ],
      env: { PORT: "8080", MODE: "fast", MEMORY: `\${dataFolder}/memory.json`, PATH: "/usr/bin:/bin", X: "" },
    },
    { command: "node", args: ["node_modules/@scope/server-map/dist/index.js", "--stdio", "--port", "3000"] },
    {
      command: "uvx",
      args: ["--from", "git+https://git.example/org/repo@v1.2.3", "mcp[cli]>=1.2", "mcp==1.9.0"],
    },
    {
      command: "docker",
      args: [
        ...[
          "run",
          "-i",
          "--rm",
          "-p",
          "8080:80",
          "-v",
          "./secrets:/run/secrets",
          "-v",
          "/x/y:/data:ro",
          "-e",
          "API_KEY",
          "-e",
          `KEY=${ref("KEY")}`,
        ],
        ...["--mount", "type=bind,src=/x,dst=/y", `ghcr.io/org/mcp-server:1.2@sha256:${"0af9".repeat(16)}`],
      ],
    },
    {
      command: "C:\\Program Files\\nodejs\\npx.cmd",
      args: ["--model", "gpt-4o-mini-2024-07-18"],
      cwd: "~/x",
    },
    {
      type: "streamable-http",
      url: `https://mcp.example.com:8443/v1/mcp-server/sse?region=us-east-1&key=${ref("k")}`,
      headers: { Authorization: `Bearer ${ref("t")}`, Cookie: `\${env:COOKIE}` },
      oauth: { clientId: "my-client", clientSecret: ref("s"), scope: "read:all write:all" },
      disabledTools: [`get_${random}`],
      timeout: 60_000,
    },
    { command: "x", args: ["mcp-remote", "https://x.example/mcp", "--header", `Authorization:\${AUTH}`] },
    {
      command: "x",
      env: { WHERE: "https://api.example.com/v2", TOKEN: `\${TOKEN}`, AUTH: `Bearer \${AUTH}` },
    },
    { command: "x", note: "Started by hand, see the wiki", number: 12345678901, on: true, none: null },
  ];
  for (const config of plain) expect(hideSecrets(config, "all").config).toEqual(config);
});

test("of an address only the parts that are secret are asked for", () => {
  const { config, secrets } = hideSecrets(
    { url: `https://x.example/s/${random}/mcp?a=1&api_key=k`, env: { WEBHOOK: hooks } },
    "all",
  );
  expect(config).toMatchObject({
    url: `https://x.example/s/${ref("url")}/mcp?a=1&api_key=${ref("api_key")}`,
    env: {
      WEBHOOK: `https://hooks.slack.com/services/${ref("WEBHOOK")}/${ref("WEBHOOK_2")}/${ref("WEBHOOK_3")}`,
    },
  });
  expect(secrets.map(({ field }) => field)).toEqual([
    ...["env.WEBHOOK", "env.WEBHOOK", "env.WEBHOOK", "url", "url.api_key"],
  ]);
});
