import type { AppDomains } from "@/lib/protocol/mcp-offers";
import type { BaseDeps } from "@/lib/server/base-deps";
import { ourOrigins } from "@/lib/server/http/guard";
import { same, sign } from "@/lib/server/secrets";
import { appPolicy } from "./app-policy";
import { appProxy } from "./app-proxy";

/** An answer of the listener for apps. */
export interface AppPage {
  status: number;
  headers: Record<string, string>;
  body: string;
}

type Context = Pick<BaseDeps, "env" | "secrets">;
const purpose = "app-page";

/** The address of a page with this policy; signed, so that only we can set one. */
export function appPageUrl(origin: string, domains: AppDomains, { secrets }: Context): string {
  const policy = JSON.stringify([domains.connect, domains.resource, domains.frame]);
  const query = { policy, signature: sign(secrets.appSecret, purpose, policy) };
  return `${origin}/?${new URLSearchParams(query)}`;
}

/** The same page for every app: it holds no app itself, only the frame into which ours puts one. */
export function appPage(path: string, { env, secrets }: Context): AppPage {
  const { pathname, searchParams } = new URL(path, "http://apps.invalid");
  const policy = searchParams.get("policy") ?? "";
  const isOurs = same(searchParams.get("signature") ?? "", sign(secrets.appSecret, purpose, policy));
  if (pathname !== "/" || !isOurs) return { status: 404, headers: plain, body: "There is nothing here.\n" };
  const [connect = [], resource = [], frame = []] = JSON.parse(policy) as string[][];
  return {
    status: 200,
    headers: {
      ...common,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": appPolicy({ connect, resource, frame }, [...ourOrigins(env)]),
    },
    body: appProxy,
  };
}

const common = {
  "Cache-Control": "no-store",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), display-capture=()",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-DNS-Prefetch-Control": "off",
};
const plain = { ...common, "Content-Type": "text/plain; charset=utf-8" };
