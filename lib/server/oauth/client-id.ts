import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { BaseDeps } from "@/lib/server/base-deps";
import { HttpError } from "@/lib/server/http/errors";
import { same, sign } from "@/lib/server/secrets";
import { isRedirect } from "./addresses";

/** Bytes of a registration as it is asked for. */
export const maxRegistration = 16_000;
const maxName = 80;
/** Characters of all addresses of a client together: its id holds them, and stands in the address of a page. */
const maxRedirects = 1_500;
const prefix = "mgc_";
const purpose = "OAuth client";

export interface OAuthClient {
  name: string;
  redirectUris: string[];
}

/** RFC 7591; what else a client says of itself has no meaning here. */
export const Registration = z.looseObject({
  redirect_uris: z.array(z.string()).min(1).max(10),
  client_name: z.string().optional(),
});

/** Nothing is kept of a client that registers: its id says, signed, what it has said. Two that say the same are two. */
export function registerClient({ secrets }: Pick<BaseDeps, "secrets">, asked: z.output<typeof Registration>) {
  const redirectUris = asked.redirect_uris;
  const wrong = redirectUris.find((address) => !isRedirect(address));
  if (wrong !== undefined)
    throw new HttpError(
      400,
      "invalid_redirect_uri",
      `${wrong.slice(0, 200)}: must be a https:// address, one of this machine, or of a scheme of the program's own, without a fragment.`,
    );
  if (redirectUris.join("").length > maxRedirects)
    throw new HttpError(
      400,
      "invalid_redirect_uri",
      `redirect_uris: may have at most ${maxRedirects} characters together.`,
    );
  const said = (asked.client_name ?? "").replaceAll(/[\p{C}\s]+/gu, " ").trim();
  // By characters, so that none is cut in half.
  const name = [...said].slice(0, maxName).join("").trim();
  const body = Buffer.from(
    JSON.stringify([randomBytes(9).toString("base64url"), name, ...redirectUris]),
  ).toString("base64url");
  return {
    client_id: `${prefix}${body}.${sign(secrets.appSecret, purpose, body)}`,
    client_id_issued_at: Math.floor(Date.now() / 1000),
    ...(name !== "" && { client_name: name }),
    redirect_uris: redirectUris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: "mcp",
  };
}

/** Undefined for an id that was not given here, or under a secret that was changed since. */
export function readClientId(
  { secrets }: Pick<BaseDeps, "secrets">,
  clientId: string,
): OAuthClient | undefined {
  const [body = "", signature = ""] = clientId.startsWith(prefix)
    ? clientId.slice(prefix.length).split(".")
    : [];
  if (!same(signature, sign(secrets.appSecret, purpose, body))) return undefined;
  const [, name = "", ...redirectUris] = JSON.parse(Buffer.from(body, "base64url").toString()) as string[];
  return { name, redirectUris };
}
