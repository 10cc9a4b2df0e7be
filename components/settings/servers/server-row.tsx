"use client";

import { useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { ServerIcon } from "@/components/server-icon";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { NearLink } from "@/components/ui/near-link";
import { Dot, Ring } from "@/components/ui/ring";
import { Switch } from "@/components/ui/switch";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { canServe, serverActions } from "@/lib/client/servers/servers";
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
  return (
    <li className={cn("srv", server.status === "disabled" && "off")} id={`server-${name}`} {...focusBack}>
      <div className="srv-line">
        <span className="grid place-items-center">
          {ring ? <Ring state={ring} size={16} /> : <Dot size={9} />}
        </span>
        <button
          ref={opener}
          type="button"
          className="srv-name"
          aria-expanded={open || tools !== undefined}
          aria-controls={details}
          onClick={() => setOpen(!open)}
        >
          <b>
            <ServerIcon name={name} className="srv-icon" />
            {name}
            <Icon name={open ? "chevronDown" : "chevronRight"} size={12} className="text-ink-3" />
          </b>
          {server.title && server.title !== name && <small>{server.title}</small>}
          <code title={addressOf(server)}>{addressOf(server)}</code>
        </button>
        <ServerState server={server} />
        <span className="srv-fact srv-extra text-ink-3">{server.protocolVersion}</span>
        <span className={cn("srv-fact num", !canServe(server) && "text-ink-3")}>
          {server.tools.length > 0 && server.tools.filter(({ enabled }) => enabled).length}
        </span>
        <span className="srv-fact srv-extra num">
          {server.latencyMs !== null && `${Math.round(server.latencyMs)} ms`}
        </span>
        <Switch
          checked={server.enabled}
          label={t("toggle", { name })}
          onChange={(enabled) => act(() => serverActions.enable(name, enabled))}
        />
      </div>
      <ServerNeed server={server} />
      <div id={details}>
        {(open || tools) && (
          <NearLink className="srv-page" href={`/settings/mcp/${encodeURIComponent(name)}`}>
            {words("open", { name })}
          </NearLink>
        )}
        {tools ? (
          <div className="srv-details">
            <ServerTools server={server} tools={tools} />
          </div>
        ) : (
          open && <ServerDetails server={server} configPath={configPath} />
        )}
      </div>
    </li>
  );
}
