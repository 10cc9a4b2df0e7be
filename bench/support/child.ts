import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const answerMs = 120_000;
const goodbyeMs = 5_000;
process.setMaxListeners(50); // each child has one
const bench = join(import.meta.dirname, "..");

/** A program of `bench/` in a process of its own, so that its CPU time does not count. */
export interface Child<Answer> {
  /** What it said first. */
  ready: Answer;
  /** Sends a message and returns the answer; throws when none comes within two minutes. */
  ask<Result>(message: unknown): Promise<Result>;
  end(): Promise<void>;
}

/**
 * Starts `file`, a path below `bench/`; it must send one message when it is ready. What a `quiet` one prints is lost: what
 * it has to say comes as messages.
 */
export async function startChild<Answer>(
  file: string,
  args: readonly string[] = [],
  { execArgv = [], quiet = false }: { execArgv?: readonly string[]; quiet?: boolean } = {},
): Promise<Child<Answer>> {
  const child = fork(join(bench, file), args, {
    execArgv: [...process.execArgv, ...execArgv],
    ...(quiet && { stdio: ["ignore", "ignore", "ignore", "ipc"] }),
  });
  const killWithUs = () => child.kill("SIGKILL");
  process.once("exit", killWithUs);
  return {
    ready: await nextMessage<Answer>(child, file),
    ask(message) {
      const answer = nextMessage<never>(child, file);
      child.send(message as object);
      return answer;
    },
    async end() {
      process.off("exit", killWithUs);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.disconnect();
      const timer = setTimeout(() => child.kill("SIGKILL"), goodbyeMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function nextMessage<Answer>(child: ChildProcess, file: string): Promise<Answer> {
  const settled = new AbortController();
  const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(answerMs)]);
  try {
    const [answer] = await Promise.race([
      once(child, "message", { signal }),
      once(child, "exit", { signal }).then(([code]) => {
        throw new Error(`${file} ended with code ${code}.`);
      }),
    ]);
    if (typeof answer === "object" && answer !== null && "failed" in answer)
      throw new Error(`${file}: ${answer.failed}`);
    return answer as Answer;
  } finally {
    settled.abort();
  }
}

/** In the child: says that it is ready and answers each message in turn. A parent that goes takes the child with it. */
export function serveParent(
  ready: unknown,
  answer: (message: never) => Promise<unknown> = async () => null,
): void {
  process.on("message", (message) => {
    answer(message as never).then(
      (result) => process.send?.(result),
      (cause) =>
        process.send?.({ failed: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }),
    );
  });
  process.on("disconnect", () => process.exit());
  process.send?.(ready);
}
