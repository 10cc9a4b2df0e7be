import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServerConfig } from "@/lib/protocol/mcp";

export interface JournalLine {
  event: "start" | "call" | "cancelled";
  /** Epoch ms. */
  at: number;
  name?: string;
  /** Of a call. */
  args?: Record<string, unknown>;
  /** W3C trace context of a call. */
  trace?: string;
}

/** An MCP server with the tools `work` and `look` (read-only), whose calls are answered from `open()` on. */
export interface Gated {
  config: McpServerConfig;
  /** Only its processes have this in their command line. */
  journal: string;
  lines(): JournalLine[];
  /** Names of the tools that were called, in order. */
  calls(): string[];
  open(): void;
  /** From now on calls wait again. */
  close(): void;
  dispose(): void;
}

export function makeGated(): Gated {
  const home = mkdtempSync(join(tmpdir(), "meguri-gated-"));
  const journal = join(home, "journal");
  const lines = (): JournalLine[] =>
    existsSync(journal)
      ? readFileSync(journal, "utf8")
          .split("\n")
          .flatMap((line) => (line ? [JSON.parse(line) as JournalLine] : []))
      : [];
  return {
    config: { command: "node", args: [join(import.meta.dirname, "gated-server.mjs"), journal] },
    journal,
    lines,
    calls: () => lines().flatMap(({ event, name }) => (event === "call" && name ? [name] : [])),
    open: () => writeFileSync(`${journal}.open`, ""),
    close: () => rmSync(`${journal}.open`, { force: true }),
    dispose: () => rmSync(home, { recursive: true, force: true }),
  };
}
