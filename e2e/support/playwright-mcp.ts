import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chromium } from "@playwright/test";
import type { McpServerConfig } from "@/lib/protocol/mcp";

const systemChromium = "/usr/bin/chromium";
const entry = join(dirname(createRequire(import.meta.url).resolve("@playwright/mcp/package.json")), "cli.js");
const args = (output: string) => [
  ...[entry, "--headless", "--isolated", "--output-dir", output],
  ...["--executable-path", existsSync(systemChromium) ? systemChromium : chromium.executablePath()],
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

/** @playwright/mcp with the Chromium of the tests: as an entry for stdio, and as a process that speaks Streamable HTTP. */
export async function startPlaywrightMcp(): Promise<{
  stdio: McpServerConfig;
  http: McpServerConfig;
  end(): Promise<void>;
}> {
  const home = mkdtempSync(join(tmpdir(), "meguri-playwright-"));
  // A group of its own: its browser ends with it.
  const child = spawn(process.execPath, [...args(home), "--host", "127.0.0.1", "--port", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const exited = once(child, "exit");
  const end = () => {
    if (child.pid && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL");
  };
  process.once("exit", end);
  const url = await new Promise<string>((resolve, reject) => {
    let seen = "";
    child.stderr.setEncoding("utf8").on("data", (data: string) => {
      seen += data;
      const origin = /Listening on (http:\/\/\S+)/.exec(seen)?.[1];
      if (origin) resolve(`${origin}/mcp`);
    });
    child.once("exit", (code) => reject(new Error(`@playwright/mcp ended with code ${code}: ${seen}`)));
  });
  return {
    stdio: { command: "node", args: args(home) },
    http: { type: "http", url },
    end: async () => {
      process.off("exit", end);
      end();
      await exited;
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
