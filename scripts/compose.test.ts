import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readEnv, reservedEnv } from "@/lib/server/env";

interface Service {
  environment?: Record<string, string | number>;
  stop_grace_period?: string;
  volumes?: string[];
  networks?: string[] | Record<string, { ipv4_address?: string }>;
  ports?: string[];
}

interface Compose {
  services: Record<string, Service>;
  networks?: Record<string, { ipam?: { config: { gateway?: string }[] }; internal?: boolean }>;
  configs?: Record<string, { content: string }>;
}

const read = (name: string): Compose =>
  parse(readFileSync(join(import.meta.dirname, "..", name), "utf8"), { merge: true });
const alone = read("compose.yaml");
const cluster = read("compose.cluster.yaml");
const several = Object.entries(cluster.services).filter(([name]) => name.startsWith("meguri"));
const instances = [...Object.entries(alone.services), ...several];

/** As `docker compose` fills them in, each variable with a value that it could have. */
const filled = (service: Service): Record<string, string> =>
  Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([name, value]) => [
      name,
      String(value)
        .replace(/\$\{PUBLIC_URL:\?[^}]*\}/, "https://meguri.example.com")
        .replace(/\$\{\w+:\?[^}]*\}/, "v".repeat(48))
        .replace(/\$\{\w+:-([^}]*)\}/, "$1"),
    ]),
  );

describe("the compose files", () => {
  it.each(instances)("have a service %s whose variables Meguri knows and starts with", (_, service) => {
    const variables = filled(service);
    expect(Object.keys(variables).filter((name) => !reservedEnv.includes(name))).toEqual([]);
    expect(readEnv(variables)).toMatchObject({ AUTH: "accounts", PUBLIC_URL: "https://meguri.example.com" });
  });

  it.each(instances)("give %s 15 s more to end than its answers get", (_, service) => {
    const { DRAIN_SECONDS } = readEnv(filled(service));
    expect(Number.parseInt(service.stop_grace_period ?? "", 10)).toBeGreaterThanOrEqual(DRAIN_SECONDS + 15);
  });

  it("believe a proxy on the host, and nobody else", () => {
    const [network] = alone.networks?.default?.ipam?.config ?? [];
    expect(filled(alone.services.meguri ?? {}).TRUSTED_PROXIES).toBe(network?.gateway);
  });

  it("have instances that differ in their folder alone, and are reached through the balancer alone", () => {
    const [first, ...others] = several.map(([, { volumes = [], ...rest }]) => ({
      ...rest,
      shared: volumes.filter((volume) => !volume.endsWith(":/data")),
    }));
    expect(others).toEqual([first]);
    const folders = several.map(([, { volumes = [] }]) => volumes.find((one) => one.endsWith(":/data")));
    expect(new Set(folders).size).toBe(2);
    expect(several.flatMap(([, { ports = [] }]) => ports)).toEqual([]);
    const { balancer } = cluster.services;
    const [address] = Object.values(balancer?.networks ?? {}).map((network) => network.ipv4_address);
    expect(first?.environment?.TRUSTED_PROXIES).toBe(address);
    expect(cluster.networks?.back?.internal).toBe(true);
  });

  it("have a balancer that knows every instance, asks which are ready and lets streams through", () => {
    const text = cluster.configs?.caddyfile?.content ?? "";
    const upstreams = /reverse_proxy (.*:3000) \{/.exec(text)?.[1]?.split(" ");
    expect(upstreams).toEqual(several.map(([name]) => `${name}:3000`));
    for (const line of ["lb_policy round_robin", "health_uri /api/ready", "flush_interval -1"])
      expect(text).toContain(line);
  });
});
