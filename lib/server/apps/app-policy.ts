import type { AppDomains } from "@/lib/protocol/mcp-offers";

/** An app that reaches nobody. */
export const nobody: AppDomains = { connect: [], resource: [], frame: [] };

/**
 * The Content-Security-Policy of a page in which an app runs. Whatever is not named is refused; what an app brings along
 * inline may run, since nothing else lives in its origin. Only our own pages may hold it in a frame.
 */
export function appPolicy({ connect, resource, frame }: AppDomains, ancestors: readonly string[]): string {
  const inline = ["data:", "blob:"];
  const list = (...sources: readonly string[]) => sources.join(" ") || "'none'";
  return [
    "default-src 'none'",
    `script-src ${list("'unsafe-inline'", "'unsafe-eval'", ...inline, ...resource)}`,
    `style-src ${list("'unsafe-inline'", ...inline, ...resource)}`,
    `img-src ${list(...inline, ...resource)}`,
    `font-src ${list(...inline, ...resource)}`,
    `media-src ${list(...inline, ...resource)}`,
    `connect-src ${list(...inline, ...connect)}`,
    `worker-src ${list("blob:", ...resource)}`,
    `frame-src ${list(...frame)}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    frameAncestors(ancestors),
  ].join("; ");
}

/** Browsers know no IPv6 address as a source, and complain about it. */
export const frameAncestors = (ancestors: readonly string[]): string =>
  `frame-ancestors ${ancestors.filter((origin) => !origin.includes("[")).join(" ") || "'none'"}`;

/** The lists without what would let an app speak to one of our hosts. */
export function withoutHosts(domains: AppDomains, own: readonly string[]): AppDomains {
  const keep = (list: readonly string[]) =>
    list.filter((source) => !own.some((host) => covers(source, host)));
  return {
    connect: keep(domains.connect),
    resource: keep(domains.resource),
    frame: keep(domains.frame),
  };
}

/** Whatever the ports: a proxy may serve several. */
function covers(source: string, host: string): boolean {
  const name = source.replace(/^\w+:\/\//, "").replace(/:\d+$/, "");
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
}
