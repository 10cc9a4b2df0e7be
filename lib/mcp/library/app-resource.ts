import type { ReadResourceResult } from "@modelcontextprotocol/client";
import { z } from "zod";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import { appMimeType } from "@/lib/mcp/connection/open-connection";
import type { AppDomains, McpResourceContent } from "@/lib/protocol/mcp-offers";

const maxHtml = 5 * 1024 * 1024;
const maxBytes = 8 * 1024 * 1024;
const maxSources = 30;

/** An app as its server sent it, with the hosts that it may reach. */
export interface AppResource {
  html: string;
  domains: AppDomains;
  /** Hosts that its metadata names and that are never allowed. */
  refused: string[];
  prefersBorder: boolean;
}

const sources = z.array(z.string()).nullish().catch(null);
const metaSchema = z.object({
  ui: z.object({
    csp: z
      .object({ connectDomains: sources, resourceDomains: sources, frameDomains: sources })
      .nullish()
      .catch(null),
    prefersBorder: z.boolean().nullish().catch(null),
  }),
});

/** Throws `McpConfigError` for a resource that is not an app. */
export function readApp({ contents }: ReadResourceResult, uri: string): AppResource {
  const found = contents.find(
    ({ mimeType }) => mimeType?.replaceAll(/\s/g, "").toLowerCase() === appMimeType,
  );
  if (!found) throw new McpConfigError("failed", `${uri} is not an app: the server sent no ${appMimeType}.`);
  const html = "text" in found ? found.text : Buffer.from(found.blob, "base64").toString("utf8");
  if (html.length > maxHtml)
    throw new McpConfigError("failed", `${uri} is larger than ${maxHtml / 1024 / 1024} MB.`);
  const { csp, prefersBorder } = metaSchema.safeParse(found._meta).data?.ui ?? {};
  const refused = new Set<string>();
  const allowed = (list: readonly string[] | null | undefined, schemes: readonly string[]) => [
    ...new Set((list ?? []).slice(0, maxSources).flatMap((text) => readSource(text, schemes, refused))),
  ];
  const domains = {
    connect: allowed(csp?.connectDomains, ["https", "wss"]),
    resource: allowed(csp?.resourceDomains, ["https"]),
    frame: allowed(csp?.frameDomains, ["https"]),
  };
  return { html, domains, refused: [...refused], prefersBorder: prefersBorder ?? true };
}

/** A public name or all names below one, encrypted; no addresses, and no names of this machine or its network. */
const sourcePattern =
  /^(https|wss):\/\/((?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9])(:\d{1,5})?\/?$/;
const privateNames = /(^|\.)(localhost|local|internal|home\.arpa|lan|intranet)$/;

function readSource(text: string, schemes: readonly string[], refused: Set<string>): string[] {
  const [, scheme = "", host = "", port = ""] = sourcePattern.exec(text.trim().toLowerCase()) ?? [];
  if (schemes.includes(scheme) && host.length <= 253 && !privateNames.test(host))
    return [`${scheme}://${host}${port}`];
  refused.add(text.slice(0, 200));
  return [];
}

/** What an app reads of its server, complete or not at all. */
export function readContents({ contents }: ReadResourceResult, uri: string): McpResourceContent[] {
  const bytes = contents.reduce((sum, part) => sum + ("text" in part ? part.text : part.blob).length, 0);
  if (bytes > maxBytes)
    throw new McpConfigError("failed", `${uri} is larger than ${maxBytes / 1024 / 1024} MB.`);
  return contents.map((part) => ({
    uri: part.uri,
    ...(part.mimeType !== undefined && { mimeType: part.mimeType }),
    ...("text" in part ? { text: part.text } : { blob: part.blob }),
  }));
}
