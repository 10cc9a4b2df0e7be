import type { RunDeps } from "./run-deps";

const waitAtMostMs = 20_000;

/**
 * Waits until the servers that `isConnecting` looks at have connected or failed, 20 s at most: after a restart something
 * may go on before the pool is back.
 */
export async function awaitPool(
  pool: Pick<RunDeps["pool"], "onChange">,
  isConnecting: () => boolean,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted || !isConnecting()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitAtMostMs);
  const stop = pool.onChange(() => isConnecting() || resolve());
  signal?.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  stop();
}
