import { setTimeout as wait } from "node:timers/promises";
import type { Client, SubscriptionFilter } from "@modelcontextprotocol/client";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import type { Connection } from "./connection";

const firstPauseMs = 500;
const maxPauseMs = 60_000;

/**
 * On the newer wire a server tells of changes only to clients that listen. Streams end before their connections do,
 * because of proxies and restarts: then it listens again, and lists what may have changed in between.
 */
export async function listen(client: Client, connection: Connection, log: LogRing): Promise<void> {
  const filter = wanted(client);
  if (!filter) return;
  for (let round = 0, pauseMs = firstPauseMs; !connection.closed; round++) {
    const since = Date.now();
    try {
      const { closed } = await client.listen(filter);
      if (round > 0) connection.relisting.request();
      await closed;
    } catch (cause) {
      if (connection.closed) return;
      log.add("host", `Changes will not be noticed: ${cause}`);
      if (round === 0) return; // its capability is wrong
    }
    pauseMs = Date.now() - since > maxPauseMs ? firstPauseMs : Math.min(pauseMs * 2, maxPauseMs);
    await wait(pauseMs, undefined, { ref: false });
  }
}

function wanted(client: Client): SubscriptionFilter | undefined {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const filter = {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  };
  return Object.keys(filter).length > 0 ? filter : undefined;
}
