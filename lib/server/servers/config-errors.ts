import { McpConfigError } from "@/lib/mcp/config/config-fault";
import { HttpError } from "@/lib/server/http/errors";

/** Status and code of the API for each fault of an entry or a file. */
const answers: Record<McpConfigError["code"], readonly [status: number, code: string]> = {
  invalid: [400, "invalid_input"],
  exists: [409, "exists"],
  not_found: [404, "not_found"],
  stale: [409, "stale_hash"],
  file_changed: [409, "file_changed"],
  blocked: [409, "definition_blocked"],
  file_broken: [409, "file_broken"],
  file_managed: [409, "file_managed"],
  not_ready: [409, "server_not_ready"],
  failed: [502, "server_failed"],
};

/** What is wrong with an entry or a file as an answer of the API. */
export async function translateConfigError<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof McpConfigError)) throw cause;
    const [status, code] = answers[cause.code];
    const { path, line } = cause;
    const details = { ...(path && { path }), ...(line !== undefined && { line }) };
    throw new HttpError(status, code, cause.message, path || line ? details : undefined);
  }
}
