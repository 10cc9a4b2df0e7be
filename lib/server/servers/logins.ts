import { LoginNeededError } from "@/lib/mcp/oauth/login-needed-error";
import { clientMetadata, type LoginSetup } from "@/lib/mcp/oauth/login-setup";
import type { SavedLogin } from "@/lib/mcp/oauth/login-store";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { BaseDeps } from "@/lib/server/base-deps";
import { publicUrl } from "@/lib/server/env";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { type SealedSetting, seal, unseal } from "@/lib/server/seal";
import { translateConfigError } from "./config-errors";
import { findServer } from "./servers";

const callbackPath = "/api/mcp/oauth/callback";
const clientPath = "/api/mcp/oauth/client";
const purpose = "mcp logins";
const key = (server: string) => `mcp-login:${server}`;

export const sealedLogins: SealedSetting = {
  fits: (name) => name.startsWith(key("")),
  reseal: (value, again) => again(purpose, value as string),
};

/** How this application signs in to MCP servers; tokens are kept sealed. */
export function openLogins({ env, store, secrets }: Pick<BaseDeps, "env" | "store" | "secrets">): LoginSetup {
  const opened = (sealed: string | undefined) => {
    const text = sealed && unseal(secrets.appSecret, purpose, sealed);
    return text ? (JSON.parse(text) as SavedLogin) : undefined;
  };
  return {
    redirectUrls: redirectUrls(env),
    clientMetadataUrl: clientDocumentUrl(env),
    memory: {
      get: async (server) => opened(await store.settings.get<string>("system", key(server))),
      async update(server, change) {
        await store.settings.update("system", key(server), (sealed: string | undefined) =>
          seal(secrets.appSecret, purpose, JSON.stringify(change(opened(sealed)))),
        );
      },
      delete: (server) => store.settings.delete("system", key(server)),
    },
  };
}

/**
 * Where the browser has to go, and whose page that is: shown before the person goes there. They come back to the
 * conversation that is named, else to the page of the server.
 */
export async function beginLogin(
  deps: BaseDeps,
  { userId, name, conversationId }: { userId: string; name: string; conversationId?: string | undefined },
  request: Request,
): Promise<{ url: string; host: string }> {
  findServer(deps, name);
  if (conversationId !== undefined && !(await deps.store.conversations.get(userId, conversationId)))
    throw notFound("conversation");
  const returnTo = conversationId && `/c/${encodeURIComponent(conversationId)}`;
  const url = await translateLoginError(() =>
    deps.pool.signIns.begin(name, `${originOf(deps, request)}${callbackPath}`, returnTo),
  );
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new HttpError(
      502,
      "login_failed",
      `The server wants a sign-in at ${url.protocol}, which is no web page.`,
    );
  return { url: url.href, host: url.host };
}

/** Takes the authorization response and shows where the person came from, which says how it went. */
export async function finishLogin(deps: BaseDeps, request: Request): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const to = (place: string) =>
    new Response(null, {
      status: 303,
      headers: { location: place, "cache-control": "no-store" },
    });
  try {
    const { server, returnTo } = await deps.pool.signIns.finish(searchParams);
    return to(returnTo ?? `/settings/mcp/${encodeURIComponent(server)}`);
  } catch (cause) {
    if (!(cause instanceof LoginNeededError)) throw cause;
    deps.log.warn({ reason: cause.message }, "an authorization response was refused");
    return to("/settings/mcp?signIn=failed");
  }
}

export async function logout(deps: BaseDeps, name: string): Promise<McpServerItem> {
  findServer(deps, name);
  await translateLoginError(() => deps.pool.signIns.forget(name));
  return findServer(deps, name);
}

export function describeClient({ env }: Pick<BaseDeps, "env">): unknown {
  const url = clientDocumentUrl(env);
  if (!url) throw notFound("clientDocument");
  return { client_id: url, ...clientMetadata(redirectUrls(env)) };
}

/** Authorization servers fetch it, so that only an address of the web will do. */
const clientDocumentUrl = (env: BaseDeps["env"]) =>
  env.PUBLIC_URL?.startsWith("https:") ? `${publicUrl(env)}${clientPath}` : undefined;

/** All under which people may have opened us: they come back to the one they left from. */
function redirectUrls(env: BaseDeps["env"]): string[] {
  const origins = env.PUBLIC_URL
    ? [publicUrl(env)]
    : ["127.0.0.1", "localhost"].map((name) => `http://${name}:${env.PORT}`);
  return origins.map((origin) => `${origin}${callbackPath}`);
}

/** As the browser knows us: behind a proxy we do not see it, but are told it. */
function originOf({ env }: Pick<BaseDeps, "env">, request: Request): string {
  const host = request.headers.get("host")?.toLowerCase();
  const isOurs = !env.PUBLIC_URL && host && redirectUrls(env).includes(`http://${host}${callbackPath}`);
  return isOurs ? `http://${host}` : publicUrl(env);
}

async function translateLoginError<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await translateConfigError(work);
  } catch (cause) {
    if (cause instanceof LoginNeededError) throw new HttpError(502, "login_failed", cause.message);
    throw cause;
  }
}
