import type { Logger } from "pino";
import type { MCPClient } from "@/lib/mcp/mcp-pool";
import type { Store } from "@/lib/store/ports";
import type { EndpointEnv } from "./endpoint-env";
import type { Env } from "./env";
import type { ProviderEnv } from "./provider-env";
import type { Secrets } from "./secrets";

/**
 * What the process opens at its start and any use case may take a part of. What a folder adds is declared there;
 * `entry/deps.ts` opens all of it.
 */
export interface BaseDeps {
  env: Env;
  providerEnv: ProviderEnv;
  endpointEnv: EndpointEnv;
  secrets: Secrets;
  log: Logger;
  store: Store;
  pool: MCPClient;
}
