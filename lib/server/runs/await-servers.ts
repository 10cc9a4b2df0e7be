import type { ToolCall } from "@/lib/protocol/message";
import type { RunDeps } from "./run-deps";

const waitAtMostMs = 20_000;

/**
 * Waits until the servers of open calls have connected or failed: after a restart a run may go on before the pool is
 * back, and an approved call must not be answered "unknown tool".
 */
export async function awaitServers(
  { pool }: RunDeps,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<void> {
  const names = new Set(calls.flatMap(({ server }) => server ?? []));
  const connecting = () => [...names].some((name) => pool.server(name)?.status === "connecting");
  if (!connecting()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitAtMostMs);
  const stop = pool.onChange(() => connecting() || resolve());
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  stop();
}
