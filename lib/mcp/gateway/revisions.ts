import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";

/** The revision of MCP that is spoken with a client which asks for this one. */
export const agreedRevision = (asked: string): string =>
  SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION;

/** Several messages in one request are part of one revision alone. */
export const takesBatches = (revision: string): boolean => revision === "2025-03-26";
