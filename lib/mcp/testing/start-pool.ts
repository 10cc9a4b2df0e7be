import { onTestFinished } from "vitest";
import { openPool, type TestPool } from "./test-pool";

/** A pool with its own file, closed after the test. */
export async function startPool(...args: Parameters<typeof openPool>): Promise<TestPool> {
  const pool = await openPool(...args);
  onTestFinished(() => pool.close());
  return pool;
}
