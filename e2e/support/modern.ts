import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServerConfig } from "@/lib/protocol/http";

const script = join(import.meta.dirname, "modern-server.mjs");

interface JournalLine {
  event: "call" | "cancelled" | "waited" | "answer";
  name: string;
  action?: string;
}

/** The server of the newer wire as two entries, one for each transport, each with what it has written down. */
export interface Modern {
  stdio: McpServerConfig;
  http: McpServerConfig;
  lines(transport: "stdio" | "http"): JournalLine[];
  end(): Promise<void>;
}

export async function startModern(): Promise<Modern> {
  const home = mkdtempSync(join(tmpdir(), "meguri-modern-"));
  const journals = { stdio: join(home, "stdio"), http: join(home, "http") };
  const child = spawn(process.execPath, [script, "http", journals.http], {
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
    stdio: { command: "node", args: [script, "stdio", journals.stdio], roots: [home] },
    http: { type: "http", url: String(printed).trim(), roots: [home] },
    lines: (transport) =>
      (existsSync(journals[transport]) ? readFileSync(journals[transport], "utf8") : "")
        .split("\n")
        .flatMap((line) => (line ? [JSON.parse(line) as JournalLine] : [])),
    end: async () => {
      process.off("exit", killWithUs);
      child.kill("SIGKILL");
      await exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
