import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { type Meddler, streamable } from "./http-server";

/** A real authorization server and an MCP server that it protects, on loopback. */
export interface ProtectedServer {
  /** Of the MCP server. */
  url: string;
  issuer: string;
  /** How often a token was granted, by grant. */
  grants: Record<string, number>;
  /** Every call with the token that it came with. */
  calls: { token: string; args: Record<string, unknown> }[];
  /** How often a token was requested, granted or not. */
  tokenRequests(): number;
  /** Access tokens are refused from now on; refresh tokens are not. */
  expire(): void;
  /** From its next listing on it has one tool, `echo`, with this description. */
  describe(text: string): void;
  /** Every login ends: tokens are refused, and none is renewed. */
  endLogins(): Promise<void>;
  /** Token requests wait from now on until they are released; `asked` resolves with the first. */
  holdTokens(): { asked: Promise<void>; letGo(): void };
  close(): Promise<void>;
}

/** Refresh tokens rotate: using one twice ends the whole login. Clients register themselves. */
export async function startProtectedServer(): Promise<ProtectedServer> {
  const mcp = createServer();
  const authorization = createServer();
  const url = `http://127.0.0.1:${await listen(mcp)}/mcp`;
  const issuer = `http://127.0.0.1:${await listen(authorization)}`;
  const provider = createProvider(issuer, url);
  const grants: Record<string, number> = {};
  const logins = new Set<string>();
  provider.on("grant.success", ({ oidc }) => {
    const grant = String(oidc.params?.grant_type);
    const { grantId } = oidc.entities.AccessToken ?? {};
    if (grantId) logins.add(grantId);
    grants[grant] = (grants[grant] ?? 0) + 1;
  });
  const answerOthers = provider.callback();
  let tokenRequests = 0;
  let held: { asked: PromiseWithResolvers<void>; gate: PromiseWithResolvers<void> } | undefined;
  authorization.on("request", async (request, response) => {
    if (request.url === "/token") {
      tokenRequests++;
      held?.asked.resolve();
      await held?.gate.promise;
    }
    if (!request.url?.startsWith("/interaction/")) return answerOthers(request, response);
    interact(provider, request, response).catch((cause) => response.writeHead(500).end(String(cause)));
  });
  let validFrom = 0;
  let description: string | undefined;
  const relist: Meddler = (message, _request, response) => {
    if (description === undefined || message.method !== "tools/list") return false;
    const tool = { name: "echo", description, inputSchema: { type: "object" } };
    sendJson(response, { jsonrpc: "2.0", id: message.id, result: { tools: [tool] } });
    return true;
  };
  const calls: ProtectedServer["calls"] = [];
  const record: Meddler = ({ method, params }, request) => {
    if (method === "tools/call")
      calls.push({ token: request.headers.authorization ?? "", args: params?.arguments ?? {} });
    return false;
  };
  const answer = streamable(404, (...all) => record(...all) || relist(...all) || tellHeader(...all)).answer;
  mcp.on("request", async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === "/.well-known/oauth-protected-resource/mcp")
      return sendJson(response, {
        resource: url,
        authorization_servers: [issuer],
        scopes_supported: ["mcp:use"],
      });
    const token = /^(?:Bearer|DPoP) (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const known = token && (await provider.AccessToken.find(token));
    if (known && (known.iat ?? 0) >= validFrom) return (answer as RequestListener)(request, response);
    const metadata = `${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`;
    response.writeHead(401, {
      "www-authenticate": `Bearer resource_metadata="${metadata}", scope="mcp:use"`,
    });
    response.end();
  });
  return {
    url,
    issuer,
    grants,
    calls,
    tokenRequests: () => tokenRequests,
    expire: () => {
      validFrom = Math.floor(Date.now() / 1_000) + 1;
    },
    describe: (text) => {
      description = text;
    },
    endLogins: async () => {
      for (const id of logins) {
        await provider.AccessToken.revokeByGrantId(id);
        await provider.RefreshToken.revokeByGrantId(id);
      }
      logins.clear();
    },
    holdTokens: () => {
      const asked = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      held = { asked, gate };
      return { asked: asked.promise, letGo: () => gate.resolve() };
    },
    close: async () => {
      for (const server of [mcp, authorization]) {
        server.closeAllConnections();
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
    },
  };
}

/** Answers a call of `look` with the header that it was sent, in a result or, for `fail`, in an HTTP error. */
export const tellHeader: Meddler = (message, request, response) => {
  const { name, arguments: args } = message.params ?? {};
  if (message.method !== "tools/call" || name !== "look") return false;
  const token = request.headers.authorization ?? "";
  if (args?.fail) response.writeHead(500).end(`Refused: ${token}`);
  else
    sendJson(response, {
      ...{ jsonrpc: "2.0", id: message.id },
      result: {
        content: [{ type: "text", text: token }],
        structuredContent: { headers: { [token]: token } },
      },
    });
  return true;
};

function createProvider(issuer: string, resource: string): Provider {
  return new Provider(issuer, {
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: "mcp:use", accessTokenFormat: "opaque", accessTokenTTL: 600 }),
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    clientDefaults: { token_endpoint_auth_method: "none" },
    scopes: ["openid", "offline_access", "mcp:use"],
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    cookies: { keys: ["only for tests"] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  });
}

/** One page with two buttons, for signing in and for consenting; the user is always Ada. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (request.method !== "POST") {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(
      `<!doctype html><title>Sign in</title><form method="post" action="${request.url}"><h1>${prompt.name}</h1><button name="do" value="go">Go on</button><button name="do" value="no">Cancel</button></form>`,
    );
    return;
  }
  const pressed = new URLSearchParams(await readText(request)).get("do");
  if (pressed === "no")
    return provider.interactionFinished(request, response, {
      error: "access_denied",
      error_description: "Ada said no.",
    });
  if (prompt.name === "login")
    return provider.interactionFinished(request, response, { login: { accountId: "ada" } });
  const known = grantId ? await provider.Grant.find(grantId) : undefined;
  const grant =
    known ??
    new provider.Grant({ accountId: session?.accountId ?? "ada", clientId: String(params.client_id) });
  const { missingOIDCScope, missingResourceScopes } = prompt.details as {
    missingOIDCScope?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(" "));
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(" "));
  await provider.interactionFinished(
    request,
    response,
    { consent: { grantId: await grant.save() } },
    { mergeWithLastSubmission: true },
  );
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
