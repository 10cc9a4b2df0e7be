"use client";

import { Check } from "@/components/ui/controls/check";
import { CheckGroup } from "@/components/ui/controls/check-group";
import { useServers } from "@/lib/client/servers/servers";

export interface ServerChecksProps {
  legend: string;
  /** Where there are no servers. */
  none: string;
  tools(count: number): string;
  error: string | undefined;
  /** By name. */
  chosen: readonly string[];
  onChange(servers: readonly string[]): void;
}

/** The servers that another program is to reach, of those that are on. */
export function ServerChecks({ legend, none, tools, error, chosen, onChange }: ServerChecksProps) {
  const { data } = useServers();
  const items = data?.items.filter(({ enabled }) => enabled);
  return (
    <CheckGroup legend={legend} error={error}>
      {items?.length === 0 && <p className="text-ink-3">{none}</p>}
      <div className="max-h-56 overflow-y-auto">
        {items?.map((server) => (
          <Check
            key={server.name}
            isChosen={chosen.includes(server.name)}
            isOff={false}
            onChange={(isOn) =>
              onChange(isOn ? [...chosen, server.name] : chosen.filter((each) => each !== server.name))
            }
          >
            {server.name} <span className="text-ink-3">{tools(server.tools.length)}</span>
          </Check>
        ))}
      </div>
    </CheckGroup>
  );
}
