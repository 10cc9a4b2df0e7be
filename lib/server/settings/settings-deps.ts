import type { BaseDeps } from "@/lib/server/base-deps";
import type { LiveProviders } from "./live-providers";

/** What settings use of the application. */
export interface SettingsDeps
  extends Pick<BaseDeps, "env" | "providerEnv" | "endpointEnv" | "secrets" | "log" | "store"> {
  providers: LiveProviders;
  /** Told when what it goes by has changed. */
  retention: { wake(): Promise<void> };
}
