import { randomBytes } from "node:crypto";
import type { z } from "zod";
import type { AuthorizationFault } from "@/lib/protocol/oauth";
import type { ApiTokens } from "@/lib/server/accounts/api-tokens";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { AuthorizationBody } from "@/lib/server/contract/oauth";
import { HttpError } from "@/lib/server/http/errors";
import { originOf, type Person } from "@/lib/server/http/guard";
import { hash } from "@/lib/server/secrets";
import { isOurResource, isRegistered } from "./addresses";
import { readClientId } from "./client-id";

/** A program takes its code at once. */
const codeMs = 60_000;
/** So long a program stays let in without being used. */
export const grantMs = 90 * 24 * 3_600_000;

/** What a program asks its person for, by sending the browser here. */
export interface Authorization {
  clientId: string;
  name: string;
  redirectUri: string;
  challenge: string;
  state: string | null;
}

type AuthorizeDeps = Pick<BaseDeps, "env" | "secrets"> & { tokens: ApiTokens };

/** Nobody is sent anywhere for a request that is wrong: whoever registers may have written the address. */
export function readAuthorization(
  { env, secrets }: Pick<BaseDeps, "env" | "secrets">,
  query: URLSearchParams,
): Authorization | AuthorizationFault {
  const clientId = query.get("client_id") ?? "";
  const client = readClientId({ secrets }, clientId);
  if (!client) return "client";
  const redirectUri = query.get("redirect_uri") ?? onlyOne(client.redirectUris);
  if (redirectUri === undefined || !isRegistered(redirectUri, client.redirectUris)) return "redirect";
  const challenge = query.get("code_challenge") ?? "";
  const isProven = query.get("code_challenge_method") === "S256" && /^[\w-]{43}$/.test(challenge);
  if (query.get("response_type") !== "code" || !isProven) return "proof";
  if (!query.getAll("resource").every((resource) => isOurResource(env, resource))) return "resource";
  return { clientId, name: client.name, redirectUri, challenge, state: query.get("state") };
}

const onlyOne = (list: readonly string[]) => (list.length === 1 ? list[0] : undefined);

/** What a person has said to a program; gives the address to which their browser takes the answer. */
export async function answerAuthorization(
  deps: AuthorizeDeps,
  { person, headers }: { person: Person; headers: Headers },
  { request, allow, servers, onApproval }: z.output<typeof AuthorizationBody>,
): Promise<{ location: string; name: string }> {
  const asked = readAuthorization(deps, new URLSearchParams(request));
  if (typeof asked === "string")
    throw new HttpError(400, "invalid_input", "The program has not asked as it should; begin again there.");
  const { clientId, redirectUri, challenge, state } = asked;
  const name = asked.name || placeOf(redirectUri);
  const location = new URL(redirectUri);
  location.searchParams.append("iss", originOf(deps.env, headers));
  if (state !== null) location.searchParams.append("state", state);
  if (!allow) {
    location.searchParams.append("error", "access_denied");
    return { location: location.href, name };
  }
  const secret = randomBytes(32).toString("base64url");
  const now = Date.now();
  const id = await deps.tokens.keepGrant(person, {
    name,
    options: { ...(servers && { servers }), onApproval },
    grant: {
      ...{ clientId: hash(clientId), code: hash(secret), asked: { challenge, redirectUri } },
      endsAt: now + grantMs,
    },
    expiresAt: now + codeMs,
  });
  location.searchParams.append("code", `${id}.${secret}`);
  return { location: location.href, name };
}

/** Where the answer goes, as people can know it: a host, or the scheme of a program. */
export function placeOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : `${protocol}//`;
}
