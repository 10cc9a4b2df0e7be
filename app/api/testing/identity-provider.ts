import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import Provider, { errors, type KoaContextWithOIDC } from "oidc-provider";
import { host } from "@/lib/server/testing/database-env";

export const clientId = "meguri";
/** Of this application at the authorization servers of MCP servers. */
export const atResource = "meguri-at-the-server";
export const clientSecret = "the secret of the client, for tests";

export interface TestProvider {
  issuer: string;
  /** Who signs in next, and what is said of them; `null`: they say no. */
  next: { sub: string; claims: Record<string, unknown> } | null;
  /** What it says to MCP servers of those whom it has signed in; `"refused"`: nothing. */
  vouching: "allowed" | "refused";
  /** Of ID tokens from now on; an hour unless told. */
  idTokenSeconds: number;
  givesRefreshTokens: boolean;
  /** How often it was asked for a token, by grant. */
  grants: Record<string, number>;
  /** No refresh token is good any more. */
  endSignIns(): Promise<void>;
  close(): Promise<void>;
}

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";

/** A real OpenID provider on loopback, which asks nobody: it signs in `next`. */
export async function startIdentityProvider(): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const known = new Map<string, Record<string, unknown>>();
  const signIns: string[] = [];
  const key = await generateKeyPair("RS256", { extractable: true });
  const started: TestProvider = {
    issuer,
    ...{ next: null, vouching: "allowed", idTokenSeconds: 3_600, givesRefreshTokens: true, grants: {} },
    endSignIns: async () => {
      for (const id of signIns.splice(0)) await provider.RefreshToken.revokeByGrantId(id);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: clientId, client_secret: clientSecret },
        redirect_uris: [`http://${host}/api/auth/oidc/callback`],
        grant_types: ["authorization_code", "refresh_token", tokenExchange],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(key.privateKey)), alg: "RS256", use: "sig" }] },
    ttl: { IdToken: lifeOf(started) },
    // One that is used twice ends the whole sign-in.
    rotateRefreshToken: true,
    issueRefreshToken: async () => started.givesRefreshTokens,
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ["only for tests"] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...known.get(id) }) }),
  });
  provider.on("grant.success", ({ oidc }) => {
    const grant = String(oidc.params?.grant_type);
    started.grants[grant] = (started.grants[grant] ?? 0) + 1;
    const { grantId } = oidc.entities.AccessToken ?? {};
    if (grantId) signIns.push(grantId);
  });
  const exchange = async (context: KoaContextWithOIDC) => {
    if (started.vouching === "refused") throw new errors.InvalidTarget("not this one");
    context.body = await vouch(context.oidc.params ?? {}, issuer, key);
  };
  const parameters = ["subject_token", "subject_token_type", "requested_token_type", "audience", "resource"];
  provider.registerGrantType(tokenExchange, exchange, [...parameters, "scope"]);
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

const lifeOf = (started: TestProvider) => () => started.idTokenSeconds;

/** Token exchange of an ID token of this provider for an ID-JAG, as the draft for it says. */
async function vouch(
  asked: Record<string, unknown>,
  issuer: string,
  { publicKey, privateKey }: { publicKey: CryptoKey; privateKey: CryptoKey },
): Promise<object> {
  if (asked.requested_token_type !== idJag) throw new errors.InvalidRequest("requested_token_type");
  const { payload } = await jwtVerify(String(asked.subject_token), publicKey, {
    issuer,
    audience: clientId,
  }).catch(() => {
    throw new errors.InvalidGrant("the subject token is not good");
  });
  const claims = {
    ...(payload.sub && { sub: payload.sub }),
    client_id: atResource,
    resource: asked.resource,
    scope: asked.scope,
  };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", typ: "oauth-id-jag+jwt" })
    .setIssuer(issuer)
    .setAudience(String(asked.audience))
    .setIssuedAt()
    .setExpirationTime("5m")
    .setJti(randomUUID())
    .sign(privateKey);
  return { access_token: token, issued_token_type: idJag, token_type: "N_A", expires_in: 300 };
}
