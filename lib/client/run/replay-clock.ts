import type { ToolCallId } from "@/lib/protocol/ids";
import type { ReplayEvent, ReplayTurn } from "./share-replay";

/** A piece of the time that a replay takes. */
export interface ClockSpan {
  /** Of the replay, in ms. */
  from: number;
  to: number;
  turn: number;
  /** `wait`: a person was asked, or nothing ran. `whole`: the answer is there at once. */
  kind: "run" | "wait" | "whole" | "pause";
  /** When it was, epoch ms; of a `run` as long as it takes. */
  at: number;
  end: number;
}

/** A bar under the time: a turn of the model, or a call. */
export interface ReplayBar {
  from: number;
  to: number;
  /** 0 is the model, 1 and 2 are calls. */
  lane: 0 | 1 | 2;
  isFailed: boolean;
}

export interface ReplayClock {
  duration: number;
  spans: readonly ClockSpan[];
  /** Where loops begin, with their numbers in their answers. */
  loops: readonly { at: number; number: number }[];
  bars: readonly ReplayBar[];
  /** Where something happens, in order. */
  moments: readonly number[];
}

/** A wait is shortened to this, and left out where waits are skipped. */
const waitMs = 2_000;
/** Between two answers, and for one that is there at once. */
const pauseMs = 600;

/** The time line of a replay: what ran takes as long as it took. */
export function replayClock(turns: readonly ReplayTurn[], skipsWaits: boolean): ReplayClock {
  const spans: ClockSpan[] = [];
  let now = 0;
  const add = (kind: ClockSpan["kind"], turn: number, length: number, at: number, end: number) => {
    const last = spans.at(-1);
    if (last?.kind === kind && last.turn === turn && last.end === at && kind === "run")
      Object.assign(last, { to: now + length, end });
    else spans.push({ from: now, to: now + length, turn, kind, at, end });
    now += length;
  };
  for (const [index, { events }] of turns.entries()) {
    if (events.length === 0) add("whole", index, pauseMs, 0, 0);
    for (const { event, isWait } of withWaits(events)) {
      const length = event.until - event.at;
      if (length === 0) continue;
      if (isWait && length > waitMs) add("wait", index, skipsWaits ? 0 : waitMs, event.at, event.until);
      else add("run", index, length, event.at, event.until);
    }
    if (index < turns.length - 1) add("pause", index, pauseMs, 0, 0);
  }
  return { duration: now, spans, ...drawn(turns, spans) };
}

/** Where the replay is at a time: which turn, and its time in epoch ms; null at the end of that turn. */
export function placeAt({ spans }: ReplayClock, ms: number): { turn: number; at: number | null } {
  const span = spans.find(({ to }) => ms < to) ?? spans.at(-1);
  if (!span || (ms >= span.to && span === spans.at(-1))) return { turn: span?.turn ?? 0, at: null };
  if (span.kind === "pause" || span.kind === "whole") return { turn: span.turn, at: null };
  const share = span.to === span.from ? 1 : (ms - span.from) / (span.to - span.from);
  return { turn: span.turn, at: span.at + share * (span.end - span.at) };
}

/** Each event with whether until the next one only a person was waited for. */
function* withWaits(events: readonly ReplayEvent[]): Generator<{ event: ReplayEvent; isWait: boolean }> {
  const running = new Set<ToolCallId>();
  const asked: (ToolCallId | undefined)[] = [];
  let isOver = false;
  for (const event of events) {
    const { step } = event;
    if (step.is === "open") isOver = false;
    else if (step.is === "start") running.add(step.id);
    else if (step.is === "result") running.delete(step.id);
    else if (step.is === "ask") asked.push(step.id);
    else if (step.is === "answer") {
      const at = asked.indexOf(step.id);
      if (at >= 0) asked.splice(at, 1);
    } else if (step.is === "end") {
      isOver = true;
      running.clear();
      asked.length = 0;
    }
    const onlyAsks = asked.length > 0 && [...running].every((id) => asked.includes(id));
    yield { event, isWait: isOver || onlyAsks };
  }
}

function drawn(
  turns: readonly ReplayTurn[],
  spans: readonly ClockSpan[],
): Pick<ReplayClock, "loops" | "bars" | "moments"> {
  const loops: { at: number; number: number }[] = [];
  const bars: ReplayBar[] = [];
  const moments = new Set<number>();
  for (const [index, { events }] of turns.entries()) {
    const own = spans.filter(({ turn, kind }) => turn === index && (kind === "run" || kind === "wait"));
    const place = placer(own);
    const model = new Map<string, number>();
    const calls = new Map<ToolCallId, { from: number; lane: 1 | 2 }>();
    let number = 0;
    const end = (agent: string, to: number) => {
      const from = model.get(agent);
      if (from !== undefined) bars.push({ from, to, lane: 0, isFailed: false });
      model.delete(agent);
    };
    for (const { step, at, chunk } of events) {
      const ms = place(at);
      moments.add(ms);
      const agent = ("agent" in step && step.agent) || "";
      if (step.is === "loop") {
        end(agent, ms);
        model.set(agent, ms);
        loops.push({ at: ms, number: ++number });
      } else if (step.is === "turn" && step.stopReason) end(agent, ms);
      else if (step.is === "start") {
        const taken = [...calls.values()].some(({ lane }) => lane === 1);
        calls.set(step.id, { from: ms, lane: taken ? 2 : 1 });
      } else if (step.is === "result") {
        const call = calls.get(step.id);
        const isFailed = chunk?.type === "tool_result" && chunk.result.status === "error";
        if (call) bars.push({ ...call, to: ms, isFailed });
        calls.delete(step.id);
      } else if (step.is === "end") for (const each of [...model.keys()]) end(each, ms);
    }
  }
  return { loops, bars, moments: [...moments].sort((a, b) => a - b) };
}

/** From epoch ms to the time of the replay, for times that only grow. */
function placer(spans: readonly ClockSpan[]): (at: number) => number {
  let index = 0;
  return (at) => {
    while (index < spans.length - 1 && at >= (spans[index] as ClockSpan).end) index++;
    const span = spans[index];
    if (!span) return 0;
    const share = span.end === span.at ? 0 : Math.min(1, Math.max(0, (at - span.at) / (span.end - span.at)));
    return span.from + share * (span.to - span.from);
  };
}
