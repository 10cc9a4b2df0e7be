import { hasName } from "@/lib/protocol/has-name";

/** What is wrong with the configuration file, in one sentence; `line` counts from 1. */
export class ConfigFault extends Error {
  override name = "ConfigFault";
  constructor(
    message: string,
    readonly line: number | null = null,
  ) {
    super(message);
  }
}

/** Says what is wrong with a server entry or the file, in one sentence with the next step. */
export class McpConfigError extends Error {
  static [Symbol.hasInstance] = hasName("McpConfigError");
  override name = "McpConfigError";
  constructor(
    readonly code:
      | "invalid"
      | "exists"
      | "not_found"
      | "stale"
      | "file_changed"
      | "blocked"
      | "file_broken"
      | "file_managed"
      | "not_ready"
      | "failed",
    message: string,
    readonly path?: string,
    /** Line of the whole text, counted from 1. */
    readonly line?: number,
  ) {
    super(message);
  }
}
