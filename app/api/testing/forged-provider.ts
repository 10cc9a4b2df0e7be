import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

type Claims = Record<string, unknown>;

export interface ForgedProvider {
  issuer: string;
  /** Answers a path in place of what a sound provider says; true when it has. */
  meddle: (path: string, response: ServerResponse) => boolean;
  /** What the ID token says beside what is right; undefined takes a claim out. */
  claims: Claims;
  /** Signs it with a key that is not the provider's. */
  byStranger: boolean;
  /** Takes the place of its header. */
  header: { alg: string; kid?: string };
  /** Of the sign-in that is under way; its ID token repeats it. */
  nonce: string;
  /** Every header and body with which the token was asked for. */
  asked: string[];
  close(): Promise<void>;
}

/** A provider of ours that says whatever a test wants, with keys and signatures of its own. */
export async function startForgedProvider(clientId: string): Promise<ForgedProvider> {
  const [own, strange] = [await generateKeyPair("RS256"), await generateKeyPair("RS256")];
  const keys = [{ ...(await exportJWK(own.publicKey)), kid: "1", alg: "RS256", use: "sig" }];
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const forged: ForgedProvider = {
    ...{ issuer, meddle: () => false, claims: {}, byStranger: false, nonce: "", asked: [] },
    header: { alg: "RS256", kid: "1" },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  const idToken = () => {
    const now = Math.floor(Date.now() / 1000);
    const right = { iss: issuer, aud: clientId, sub: "sub", iat: now, exp: now + 60, nonce: forged.nonce };
    const person = { email: "ann@acme.dev", email_verified: true, name: "Ann" };
    return new SignJWT({ ...right, ...person, ...forged.claims })
      .setProtectedHeader(forged.header)
      .sign((forged.byStranger ? strange : own).privateKey);
  };
  server.on("request", async (request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    let body = "";
    for await (const part of request) body += String(part);
    if (path === "/token") forged.asked.push(`${request.headers.authorization} ${body}`);
    if (forged.meddle(path, response)) return;
    if (path === "/.well-known/openid-configuration") return send(response, metadata(issuer));
    if (path === "/keys") return send(response, { keys });
    if (path === "/token")
      return send(response, { access_token: "at-secret", token_type: "Bearer", id_token: await idToken() });
    response.writeHead(404).end();
  });
  return forged;
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  authorization_response_iss_parameter_supported: true,
});

export function send(response: ServerResponse, value: unknown, status = 200): true {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  return true;
}
