import type { Fault } from "@/lib/mcp/faults/fault";

const longestMs = 30_000;
const windowMs = 120_000;
const maxFailures = 5;
/** A connection that lasted this long was stable: the next pause is a short one again. */
const steadyMs = 30_000;

/** When a server is started again: after a pause that doubles each time. */
export class RestartPolicy {
  private failures: number[] = [];
  private streak = 0;

  /** `breaks`: it is given up after 5 failures within 2 minutes. (Waiting for a remote server costs nothing.) */
  constructor(
    private readonly firstMs: number,
    private readonly breaks: boolean,
  ) {}

  /** The fault to report of a failure: final where it is one too many. */
  after(fault: Fault): Fault {
    if (fault.final) return fault;
    const now = Date.now();
    this.failures = [...this.failures.filter((at) => at > now - windowMs), now];
    return this.breaks && this.failures.length >= maxFailures ? crashLoop(fault) : fault;
  }

  /** The pause before the next start, in ms, after a connection that lasted `livedMs`. */
  pause(livedMs: number): number {
    if (livedMs > steadyMs) this.streak = 0;
    return Math.min(this.firstMs * 2 ** Math.min(this.streak++, 10), longestMs);
  }
}

function crashLoop({ message }: Fault): Fault {
  // A server's own last words may end anywhere.
  const last = /[\p{L}\p{N}]$/u.test(message) ? `${message}.` : message;
  return {
    code: "crash_loop",
    message: `It failed ${maxFailures} times within 2 minutes and is not restarted automatically. ${last} Fix it, then restart it.`,
    final: true,
  };
}
