import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export const clientId = "meguri";
export const clientSecret = "the secret of the client, for tests";

export interface TestProvider {
  issuer: string;
  /** Who signs in next, and what is said of them; `null`: they say no. */
  next: { sub: string; claims: Record<string, unknown> } | null;
  close(): Promise<void>;
}

/** A real OpenID provider on loopback, which asks nobody: it signs in `next`. */
export async function startIdentityProvider(): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const known = new Map<string, Record<string, unknown>>();
  const started: TestProvider = {
    issuer,
    next: null,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: clientId, client_secret: clientSecret },
        redirect_uris: ["http://127.0.0.1:3999/api/auth/oidc/callback"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ["only for tests"] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...known.get(id) }) }),
  });
  const answerOthers = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith("/interaction/")) return answerOthers(request, response);
    const { next } = started;
    if (next) known.set(next.sub, next.claims);
    interact(provider, request, response, next?.sub).catch((cause) =>
      response.writeHead(500).end(String(cause)),
    );
  });
  return started;
}

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  sub: string | undefined,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (sub === undefined) return provider.interactionFinished(request, response, { error: "access_denied" });
  if (prompt.name === "login")
    return provider.interactionFinished(request, response, { login: { accountId: sub } });
  const grant = new provider.Grant({
    accountId: session?.accountId ?? sub,
    clientId: String(params.client_id),
  });
  grant.addOIDCScope("openid email profile");
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}
