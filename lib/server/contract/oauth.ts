import { z } from "zod";
import { servers } from "./conversations";
import { isPlain, type Route } from "./fields";

/** What a person says to a program that asks for `/mcp`. */
export const AuthorizationBody = z.strictObject({
  /** The query of the page that the program has opened. */
  request: z.string().max(16_000),
  allow: z.boolean(),
  servers: servers.transform((names) => [...new Set(names)]).exactOptional(),
  onApproval: z.enum(["wait", "fail"]).default("wait"),
});

/** The database takes no NUL. */
const field = z.string().max(16_000).refine(isPlain, "must not hold NUL or half a character");

/** RFC 6749, in a form; what else is in it has no meaning here. */
export const TokenForm = z.looseObject({
  grant_type: field,
  client_id: field,
  code: field.exactOptional(),
  code_verifier: field.exactOptional(),
  redirect_uri: field.exactOptional(),
  refresh_token: field.exactOptional(),
  resource: field.exactOptional(),
});

export const oauthRoutes: Route[] = [
  ["get", "/api/oauth/resource", "What /mcp is to OAuth (RFC 9728), at its well-known address too"],
  ["get", "/api/oauth/server", "How programs are let in (RFC 8414), at its well-known address too"],
  ["post", "/api/oauth/register", "Gives an MCP client an id (RFC 7591)"],
  ["post", "/api/oauth/authorize", "What a person says to a client that asks for /mcp", AuthorizationBody],
  ["post", "/api/oauth/token", "A code or a refresh token for tokens, as a form"],
];
