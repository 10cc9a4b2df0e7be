import type { BaseDeps } from "@/lib/server/base-deps";
import type { RetentionJob } from "@/lib/server/data/retention";
import type { LiveProviders } from "./live-providers";

/** What settings use of the application. */
export interface SettingsDeps extends Pick<BaseDeps, "env" | "providerEnv" | "secrets" | "log" | "store"> {
  providers: LiveProviders;
  retention: Pick<RetentionJob, "wake">;
}
