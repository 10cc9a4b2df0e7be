import { secretWords } from "@/lib/mcp/config/secrets-of";
import type { McpLogLine } from "@/lib/protocol/mcp-offers";
import { hideTokens } from "./hide-tokens";

/** Lines of a log after a mark; `missed`: how many lines after the mark were dropped already. */
export interface LogPiece {
  lines: McpLogLine[];
  mark: string;
  missed: number;
}

const maxLines = 1_000;
const maxLineLength = 4_096;

/** The newest lines of one server; secrets of its entry are masked. */
export class LogRing {
  /** The time in ms: most lines are never read, so it is formatted when they are. */
  private readonly ring: (Omit<McpLogLine, "at"> & { at: number })[] = [];
  private next = 0;
  /** A mark of another ring, from an earlier process or before it was cleared, is invalid here. */
  private born = Date.now();
  private secrets: string[] = [];
  /** Secrets that change while the server runs. */
  tokens: () => readonly string[] = () => [];

  setSecrets(values: readonly string[]): void {
    this.secrets = secretWords(values);
  }

  add(source: McpLogLine["source"], text: string): void {
    const cut = text.length > maxLineLength ? `${text.slice(0, maxLineLength - 1)}…` : text;
    const line = { at: Date.now(), source, text: this.redact(cut) };
    this.ring[this.next++ % maxLines] = line;
  }

  clear(): void {
    this.ring.length = 0;
    this.next = 0;
    this.born = Math.max(Date.now(), this.born + 1);
  }

  redact(text: string): string {
    return hideTokens(text, [...this.secrets, ...this.tokens()]);
  }

  lines(): McpLogLine[] {
    const start = this.next % maxLines;
    const ring =
      this.next <= maxLines ? this.ring : [...this.ring.slice(start), ...this.ring.slice(0, start)];
    return ring.map((line) => ({ ...line, at: new Date(line.at).toISOString() }));
  }

  /** The lines after a mark that are still kept, with the next mark; `missed` counts the dropped ones. */
  after(mark: string | undefined): LogPiece {
    const [born, seen] = (mark ?? "").split(".").map(Number);
    const from = born === this.born && seen !== undefined && seen <= this.next ? seen : 0;
    const kept = Math.max(from, this.next - maxLines);
    return {
      lines: kept === this.next ? [] : this.lines().slice(kept - this.next),
      mark: `${this.born}.${this.next}`,
      missed: from > 0 ? kept - from : 0,
    };
  }
}
