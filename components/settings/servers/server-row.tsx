"use client";

import { useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { ServerIcon } from "@/components/server-icon";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { Switch } from "@/components/ui/controls/switch";
import { Icon } from "@/components/ui/icon";
import { NearLink } from "@/components/ui/near-link";
import { Dot, Ring } from "@/components/ui/ring";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { ForOwner } from "@/components/ui/words/account";
import { serverActions } from "@/lib/client/servers/server-actions";
import { canServe, useIsManaged } from "@/lib/client/servers/servers";
import type { McpServerItem, McpToolItem } from "@/lib/protocol/mcp";
import { ServerDetails } from "./server-details";
import { ServerNeed } from "./server-need";
import { ServerState } from "./server-state";
import { ServerTools } from "./server-tools";
import { addressOf, ringOf } from "./server-words";

export interface ServerRowProps {
  server: McpServerItem;
  configPath: string;
  startOpen: boolean;
  /** While some of its tools are sought: those, in place of the rest. */
  tools: McpToolItem[] | undefined;
}

/** One server: state, protocol, tools, speed; opens by itself as far as it needs a person, and wholly on a click. */
export function ServerRow({ server, configPath, startOpen, tools }: ServerRowProps) {
  const t = useTranslations("settings.servers");
  const words = useTranslations("server");
  const act = useAct();
  const [open, setOpen] = useState(startOpen);
  const details = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const focusBack = useFocusBack(() => opener.current?.focus());
  const ring = ringOf(server);
  const { name } = server;
  const isManaged = useIsManaged(server);
  const isOff = server.status === "disabled";
  return (
    <li className="row-height-15 rule-t" id={`server-${name}`} {...focusBack}>
      <div className={cn("relative grid min-h-15 items-center gap-x-4 py-2.5 slim:gap-x-3", serverColumns)}>
        <span className="grid place-items-center">
          {ring ? <Ring state={ring} size={16} /> : <Dot size={9} />}
        </span>
        <button
          ref={opener}
          type="button"
          // The whole line is its target; only the switch lies above it.
          className="group min-w-0 text-left before:absolute before:inset-0"
          aria-expanded={open || tools !== undefined}
          aria-controls={details}
          onClick={() => setOpen(!open)}
        >
          <b
            className={cn(
              "block pr-5 text-[14px] leading-5 wrap-anywhere underline-offset-3 group-hover:underline group-hover:decoration-rule-2",
              isOff ? "font-normal text-ink-3" : "font-semibold",
            )}
          >
            <ServerIcon name={name} className="mr-1 inline size-4 rounded-chip object-contain align-[-2px]" />
            {name}
            {/* It takes no width, so that it never wraps to a line by itself. */}
            <Icon
              name={open ? "chevronDown" : "chevronRight"}
              size={12}
              className="-mr-4 ml-1 inline align-[-2px] text-ink-3"
            />
          </b>
          {server.title && server.title !== name && (
            <small className="block truncate text-micro text-ink-3">{server.title}</small>
          )}
          <code className="block truncate text-[12px] leading-4 text-ink-3" title={addressOf(server)}>
            {addressOf(server)}
          </code>
        </button>
        <div className="min-w-0 slim:col-start-2 slim:row-start-2">
          <ServerState server={server} />
        </div>
        <span className="text-ink-3 mid:hidden">{server.protocolVersion}</span>
        <span className={cn("text-right slim:hidden", !canServe(server) && "text-ink-3")}>
          {server.tools.length > 0 && server.tools.filter(({ enabled }) => enabled).length}
        </span>
        <span className="text-right mid:hidden">
          {server.latencyMs !== null && `${Math.round(server.latencyMs)} ms`}
        </span>
        <ForOwner server={server}>
          <Switch
            checked={server.enabled}
            disabled={isManaged}
            label={t("toggle", { name })}
            onChange={(enabled) => act(() => serverActions.enable(name, enabled))}
          />
        </ForOwner>
      </div>
      <div id={details} className="ml-9 pb-3 empty:hidden slim:ml-0">
        <ServerNeed server={server} />
        {(open || tools) && (
          <NearLink
            className="inline-block not-first:mt-3"
            href={`/settings/mcp/${encodeURIComponent(name)}`}
          >
            {words("open", { name })}
          </NearLink>
        )}
        {tools ? (
          <div className="mt-3 animate-appear">
            <ServerTools server={server} tools={tools} />
          </div>
        ) : (
          open && <ServerDetails server={server} configPath={configPath} />
        )}
      </div>
    </li>
  );
}

/** State mark, server, state, protocol, tools, typical time, switch; protocol and time fold first, then all but the server. */
export const serverColumns =
  "grid-cols-[20px_minmax(0,1fr)_188px_96px_56px_84px_32px] mid:grid-cols-[20px_minmax(0,1fr)_176px_48px_32px] slim:grid-cols-[20px_minmax(0,1fr)_32px]";
