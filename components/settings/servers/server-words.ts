import type { RingState } from "@/components/ui/ring";
import { lacksSecret } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";

/** What starts or where it connects, on one line. */
export function addressOf({ config }: McpServerItem): string {
  return config.url ?? [config.command, ...(config.args ?? [])].filter(Boolean).join(" ");
}

/** The mark before a server's name; null is the point of what can be used. */
export function ringOf(server: McpServerItem): RingState | null {
  switch (server.status) {
    case "ready":
    case "sleeping":
      return null;
    case "connecting":
      return "run";
    case "needs_approval":
    case "needs_login":
      return "wait";
    case "failed":
      return lacksSecret(server) ? "wait" : "failed";
    case "disabled":
      return "off";
  }
}

/** Time since then in the two largest units, for a formatter: `[[2, "hour"], [14, "minute"]]`. */
export function sinceThen(
  since: string,
  now: number,
): [count: number, unit: "day" | "hour" | "minute" | "second"][] {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0)
    return [
      [days, "day"],
      [hours, "hour"],
    ];
  if (hours > 0)
    return [
      [hours, "hour"],
      [minutes, "minute"],
    ];
  return minutes > 0 ? [[minutes, "minute"]] : [[seconds, "second"]];
}
