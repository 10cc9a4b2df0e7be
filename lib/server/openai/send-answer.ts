import { defaultWaitMs } from "@/lib/protocol/api-tokens";
import { feedResponse } from "@/lib/server/http/event-feed";
import type { Person } from "@/lib/server/http/guard";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunRow } from "@/lib/store/types";
import type { Patience } from "./after-run";
import type { Answer } from "./answer";
import { AnswerFeed } from "./answer-feed";
import type { AnswerWriter } from "./answer-form";

/** How an answer is told: as events by a writer, or whole. */
export type Telling = { writer: AnswerWriter } | { whole: (answer: Answer) => object };

type Asked = Pick<Request, "headers" | "signal">;

/** Answers a program with what its run writes. Who closes the connection stops the run. */
export async function sendAnswer(
  deps: RunDeps,
  {
    run,
    person,
    telling,
    headers: more,
  }: { run: RunRow; person: Person; telling: Telling; headers: Record<string, string> },
  request: Asked,
): Promise<Response> {
  const headers = { ...more, "X-Run-Id": run.id, "X-Request-Id": run.id };
  const isStream = "writer" in telling;
  const feed = new AnswerFeed(deps, run, patienceOf(person), isStream ? telling.writer : undefined);
  await begin(feed, request.signal);
  if (isStream) return feedResponse(request, feed, headers);
  return Response.json(telling.whole(feed.answer), { headers: { ...headers, "Cache-Control": "no-store" } });
}

/** As the token says; else an answer that needs a person fails, as nobody may be there. */
const patienceOf = ({ token }: Person): Patience => ({
  waitMs: token?.onApproval === "wait" ? (token.waitMs ?? defaultWaitMs) : 0,
});

/** Throws where there is no answer, as long as that can be said by a status. */
async function begin(feed: AnswerFeed, signal: AbortSignal): Promise<void> {
  signal.addEventListener("abort", () => feed.leave(), { once: true });
  if (signal.aborted) feed.leave();
  const error = await feed.begun;
  if (error) throw error;
  signal.throwIfAborted();
}

/** A header that names fields which were left out, so that nobody looks for their effect. */
export function ignoredIn(
  body: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  more: readonly string[] = [],
): Record<string, string> {
  const unknown = Object.keys(body).filter((name) => !known.has(name) && body[name] !== null);
  const names = [...unknown, ...more].filter((name) => /^[\w.-]{1,50}$/.test(name));
  return names.length > 0 ? { "X-Meguri-Ignored": names.slice(0, 20).join(", ") } : {};
}
