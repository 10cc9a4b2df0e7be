import { randomUUID } from "node:crypto";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { listen, type Meddler, readText, streamable } from "@/lib/mcp/testing/http-server";
import { atResource } from "./identity-provider";

export const resourceSecret = "secret-at-the-server-for-tests";

export interface VouchedServer {
  url: string;
  /** Whom each call came for, and with what. */
  calls: { subject: string | undefined; args: unknown }[];
  /** ID-JAGs that it was shown, taken or not. */
  shown: string[];
  /** No token that it has given is good any more. */
  expire(): void;
  close(): Promise<void>;
}

/** An MCP server whose authorization server takes ID-JAGs of this provider and has no page to sign in at. */
export async function startVouchedServer(provider: string): Promise<VouchedServer> {
  const keys = createRemoteJWKSet(new URL("/jwks", provider));
  const tokens = new Map<string, string | undefined>();
  const calls: VouchedServer["calls"] = [];
  const shown: string[] = [];
  const record: Meddler = ({ method, params }, { headers }) => {
    const subject = tokens.get(headers.authorization ?? "");
    if (method === "tools/call") calls.push({ subject, args: params?.arguments });
    return false;
  };
  const mcp = streamable(404, record);
  const server = await listen(async (request, response) => {
    const { origin } = new URL(server.url);
    const json = (status: number, body: unknown, headers = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(body));
    switch (request.url ?? "") {
      case "/.well-known/oauth-protected-resource/mcp":
        return json(200, { resource: server.url, authorization_servers: [origin] });
      case "/.well-known/oauth-authorization-server":
        return json(200, {
          issuer: origin,
          authorization_endpoint: `${origin}/none`,
          token_endpoint: `${origin}/token`,
          response_types_supported: ["code"],
          grant_types_supported: ["urn:ietf:params:oauth:grant-type:jwt-bearer"],
        });
      case "/token": {
        const form = new URLSearchParams(await readText(request));
        const known = [atResource, resourceSecret].map(encodeURIComponent).join(":");
        const basic = `Basic ${Buffer.from(known).toString("base64")}`;
        if (request.headers.authorization !== basic) return json(401, { error: "invalid_client" });
        shown.push(form.get("assertion") ?? "");
        const options = { issuer: provider, audience: origin, typ: "oauth-id-jag+jwt" };
        const jag = await jwtVerify(shown.at(-1) ?? "", keys, options).catch(() => undefined);
        const { client_id: client, resource, sub } = jag?.payload ?? {};
        if (client !== atResource || resource !== server.url) return json(400, { error: "invalid_grant" });
        const token = randomUUID();
        tokens.set(`Bearer ${token}`, sub);
        return json(200, { access_token: token, token_type: "Bearer", expires_in: 3_600 });
      }
    }
    if (tokens.has(request.headers.authorization ?? "")) return mcp.answer(request, response);
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    return json(401, {}, { "www-authenticate": `Bearer resource_metadata="${metadata}"` });
  });
  return { url: server.url, calls, shown, expire: () => tokens.clear(), close: server.close };
}
