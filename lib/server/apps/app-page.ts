import type { AppDomains } from "@/lib/protocol/mcp-offers";
import type { BaseDeps } from "@/lib/server/base-deps";
import { ourOrigins } from "@/lib/server/http/guard";
import { same, sign } from "@/lib/server/secrets";
import { appPolicy, nobody } from "./app-policy";
import { appProxy, artifactProxy } from "./app-proxy";
import { diagramPage, diagramPolicy, diagramScript } from "./diagram-page";

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

/** The same page for every app, and one for every artifact: it holds no app itself, only the frame into which ours puts one. */
export function appPage(path: string, { env, secrets }: Context): AppPage {
  const url = URL.parse(path, "http://apps.invalid");
  // `//` is no address.
  if (!url) return nothing;
  const { pathname, searchParams } = url;
  const ancestors = [...ourOrigins(env)];
  if (pathname === "/diagrams") return html(diagramPage, diagramPolicy(ancestors));
  if (pathname === "/diagrams.mjs") return { status: 200, headers: script, body: diagramScript };
  // The page that reaches nobody is the same for everyone, so its address needs no signature.
  if (pathname === artifactPath) return html(artifactProxy, appPolicy(nobody, ancestors));
  const policy = searchParams.get("policy") ?? "";
  const isOurs = same(searchParams.get("signature") ?? "", sign(secrets.appSecret, purpose, policy));
  if (pathname !== "/" || !isOurs) return nothing;
  const [connect = [], resource = [], frame = []] = JSON.parse(policy) as string[][];
  return html(appProxy, appPolicy({ connect, resource, frame }, ancestors));
}

/** Where a page that a model has written runs after a person's click. */
const artifactPath = "/artifact";

const html = (body: string, policy: string): AppPage => ({
  status: 200,
  headers: {
    ...common,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy,
    // Behind a proxy the two origins may be one site: a process of its own all the same, where a browser heeds it.
    "Origin-Agent-Cluster": "?1",
  },
  body,
});

const common = {
  "Cache-Control": "no-store",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), display-capture=()",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-DNS-Prefetch-Control": "off",
};
/** For the page beside it, which has no origin. */
const script = {
  ...common,
  "Access-Control-Allow-Origin": "*",
  "Content-Type": "text/javascript; charset=utf-8",
};
const plain = { ...common, "Content-Type": "text/plain; charset=utf-8" };
const nothing: AppPage = { status: 404, headers: plain, body: "There is nothing here.\n" };
