import { expect, test } from "vitest";
import type { Connection } from "@/lib/mcp/connection/connection";
import { CurrentState, type LastSeen, type ServerRun, type ServerState } from "./server-state";

const connection = { closed: false } as Connection;
const lastSeen = { waitMs: 1 } as LastSeen;
const error = { code: "exited", message: "It ended." };
const startRun = (): ServerRun => ({ stop: new AbortController(), installing: false });
const soon = () => AbortSignal.timeout(10_000);

test("a run goes on over a loss and a failure that is tried again, and ends with the state that has none", () => {
  const state = new CurrentState(() => {});
  const run = startRun();
  state.enter({ status: "connecting", run, error: null });
  state.enter({ status: "ready", run, connection });
  state.enter({ status: "connecting", run, lastSeen, error });
  state.enter({ status: "failed", run, error });
  expect(run.stop.signal.aborted).toBe(false);
  state.enter({ status: "failed", run: undefined, error });
  expect(run.stop.signal.aborted).toBe(true);
});

test("a new run ends the one before, and its owner sees the new state when that ends", () => {
  const state = new CurrentState(() => {});
  const [first, second] = [startRun(), startRun()];
  state.enter({ status: "ready", run: first, connection });
  const seen: string[] = [];
  first.stop.signal.addEventListener("abort", () => seen.push(state.status));
  state.enter({ status: "connecting", run: second, error: null });
  expect([seen, second.stop.signal.aborted]).toEqual([["connecting"], false]);
});

test("each state shows what it has, and nothing of the one before", () => {
  const entered: string[] = [];
  const state = new CurrentState(({ status }) => entered.push(status));
  const shown = () => [state.status, state.connection, state.lastSeen, state.error, state.run !== undefined];
  const states: [ServerState, unknown[]][] = [
    [{ status: "needs_approval" }, ["needs_approval", undefined, undefined, null, false]],
    [{ status: "ready", run: startRun(), connection }, ["ready", connection, undefined, null, true]],
    [{ status: "sleeping", lastSeen, error: null }, ["sleeping", undefined, lastSeen, null, false]],
    [{ status: "needs_login", error }, ["needs_login", undefined, undefined, error, false]],
    [{ status: "absent" }, ["disabled", undefined, undefined, null, false]],
  ];
  for (const [next, expected] of states) {
    state.enter(next);
    expect(shown()).toEqual(expected);
  }
  expect(entered).toEqual(states.map(([{ status }]) => status));
});

test("who waits for a connection gets it, and nothing once none is being made", async () => {
  const state = new CurrentState(() => {});
  const run = startRun();
  state.enter({ status: "connecting", run, error: null });
  const waiting = [state.ready(soon(), 10_000), state.ready(soon(), 10_000)];
  state.enter({ status: "ready", run, connection });
  expect(await Promise.all(waiting)).toEqual([connection, connection]);

  state.enter({ status: "connecting", run, error: null });
  const given = state.ready(soon(), 10_000);
  state.enter({ status: "failed", run: undefined, error });
  expect(await given).toBeUndefined();

  const stopped = new AbortController();
  state.enter({ status: "connecting", run: startRun(), error: null });
  const late = state.ready(stopped.signal, 10_000);
  stopped.abort();
  expect(await late).toBeUndefined();
});
