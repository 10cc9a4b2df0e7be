import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServerConfig } from "@/lib/protocol/mcp";

const script = join(import.meta.dirname, "modern-server.mjs");

interface JournalLine {
  event: "call" | "cancelled" | "waited" | "answer";
  name: string;
  action?: string;
  /** W3C trace context of a call. */
  trace?: string;
}

/** The server of the newer wire as two entries, one for each transport, each with what it has written down. */
export interface Modern {
  stdio: McpServerConfig;
  http: McpServerConfig;
  lines(transport: "stdio" | "http"): JournalLine[];
  /** Ends the one that speaks HTTP. */
  crash(): Promise<void>;
  /** Starts it again at the same address. */
  revive(): Promise<void>;
  end(): Promise<void>;
}

export async function startModern(): Promise<Modern> {
  const home = mkdtempSync(join(tmpdir(), "meguri-modern-"));
  const journals = { stdio: join(home, "stdio"), http: join(home, "http") };
  let http = await spawnHttp(journals.http);
  const { url } = http;
  return {
    stdio: { command: "node", args: [script, "stdio", journals.stdio], roots: [home] },
    http: { type: "http", url, roots: [home] },
    lines: (transport) =>
      (existsSync(journals[transport]) ? readFileSync(journals[transport], "utf8") : "")
        .split("\n")
        .flatMap((line) => (line ? [JSON.parse(line) as JournalLine] : [])),
    crash: () => http.end(),
    revive: async () => {
      http = await spawnHttp(journals.http, new URL(url).port);
    },
    end: async () => {
      await http.end();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function spawnHttp(journal: string, port = "0"): Promise<{ url: string; end(): Promise<void> }> {
  const child = spawn(process.execPath, [script, "http", journal, port], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const killWithUs = () => child.kill("SIGKILL");
  process.once("exit", killWithUs);
  const exited = once(child, "exit");
  const failed = exited.then(([code]) => {
    throw new Error(`The modern server ended with code ${code}.`);
  });
  failed.catch(() => {});
  const [printed] = await Promise.race([once(child.stdout, "data"), failed]);
  return {
    url: String(printed).trim(),
    end: async () => {
      process.off("exit", killWithUs);
      child.kill("SIGKILL");
      await exited;
    },
  };
}
