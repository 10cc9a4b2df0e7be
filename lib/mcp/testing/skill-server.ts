import { createHash } from "node:crypto";
import { type HttpServer, listen } from "./http-server";

export const manifest = "skill://pdf/SKILL.md";
export const forms = "skill://pdf/references/FORMS.md";
export const frontmatter = { name: "pdf", description: "Fills forms." };

export const skillFiles: Readonly<Record<string, string>> = {
  [manifest]: "---\nname: pdf\ndescription: Fills forms.\n---\n\nRead FORMS.md first.\n",
  [forms]: "Only blue ink.\n",
};

export interface SkillServer extends HttpServer {
  /** Methods, and the addresses of resources, in the order in which they were asked for. */
  asked: string[];
  /** What its entries are made of. */
  listed: Record<string, string>;
  /** The text that it really returns. */
  served: Record<string, string>;
}

export const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** A server of 2025 with one valid skill of two files, and one invalid. */
export async function startSkillServer(): Promise<SkillServer> {
  const asked: string[] = [];
  const state = { listed: { ...skillFiles }, served: { ...skillFiles } as Record<string, string> };
  const entry = (uri: string) => ({
    uri,
    size: Buffer.byteLength(state.listed[uri] ?? ""),
    digest: digestOf(state.listed[uri] ?? ""),
  });
  const server = await listen(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(String(Buffer.concat(parts)));
    asked.push(method === "resources/read" ? params.uri : method);
    const skill = { uri: manifest, frontmatter, resources: [entry(manifest), entry(forms)] };
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: "2025-11-25",
        serverInfo: { name: "skills", version: "1" },
        capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } },
      },
      "skills/list": { skills: [skill, { uri: "skill://broken/SKILL.md" }] },
      "resources/list": { resources: [] },
      "resources/templates/list": { resourceTemplates: [] },
      "resources/read": { contents: [{ uri: params?.uri, text: state.served[params?.uri] ?? "" }] },
    };
    if (id === undefined) return response.writeHead(202).end();
    const result = results[method];
    const body = result ? { result } : { error: { code: -32601, message: "Method not found" } };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
  });
  return Object.assign(state, { ...server, asked });
}
