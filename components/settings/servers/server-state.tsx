"use client";

import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { lacksSecret, needsPerson } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { sinceThen } from "./server-words";
import { useClock } from "./use-clock";

/** The state in words, and below it since when or why. */
export function ServerState({ server, inline = false }: { server: McpServerItem; inline?: boolean }) {
  const now = useClock(server.status === "connecting" ? 1000 : server.status === "ready" ? 30_000 : null);
  const state = useStateWords(server, now);
  const note = useNoteWords(server, now);
  return (
    <div
      className={cn(
        "min-w-0",
        inline
          ? "flex flex-wrap items-baseline gap-x-2"
          : "slim:flex slim:flex-wrap slim:items-baseline slim:gap-x-2",
        needsPerson(server) && "font-semibold text-shu",
        server.status === "disabled" && "text-ink-3",
      )}
    >
      <span>{state}</span>
      {note && <small className="block truncate text-micro font-normal text-ink-3">{note}</small>}
    </div>
  );
}

function useStateWords(server: McpServerItem, now: number): string {
  const { status, installing, transport, since } = server;
  const t = useTranslations("settings.servers.state");
  switch (status) {
    case "connecting":
      return t(installing ? "installing" : "connecting", {
        seconds: Math.max(0, Math.floor((now - Date.parse(since)) / 1000)),
      });
    case "needs_approval":
      return t(transport === "http" ? "approveUrl" : "approveCommand");
    // Asleep it can be used all the same; the note below says the difference.
    case "ready":
    case "sleeping":
      return t("ready");
    case "failed":
      return t(lacksSecret(server) ? "needsSecret" : "failed");
    case "needs_login":
    case "disabled":
      return t(status);
  }
}

function useNoteWords({ status, pid, since }: McpServerItem, now: number): string | null {
  const t = useTranslations("settings.servers.note");
  const format = useFormatter();
  switch (status) {
    case "ready": {
      const time = sinceThen(since, now)
        .map(([count, unit]) => format.number(count, { style: "unit", unit, unitDisplay: "short" }))
        .join(" ");
      return pid === null ? t("up", { time }) : t("pid", { pid: String(pid), time });
    }
    case "needs_approval":
      return t("never");
    case "failed":
      return t("failed", {
        time: format.dateTime(new Date(since), { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
      });
    case "sleeping":
      return t("sleeping");
    case "connecting":
    case "needs_login":
    case "disabled":
      return null;
  }
}
