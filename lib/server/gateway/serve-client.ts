import { z } from "zod";
import { answerMessages, type Exchange, openNotifications } from "@/lib/mcp/gateway/answer-client";
import type { RequestId } from "@/lib/mcp/gateway/offer";
import { takesBatches } from "@/lib/mcp/gateway/revisions";
import { readBody } from "@/lib/server/http/body";
import { endOf } from "@/lib/server/http/ending-request";
import { HttpError } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import type { GatewaySessionRow } from "@/lib/store/kept-ports";
import { takeClientAnswer } from "./client-answers";
import type { Exchanges } from "./exchanges";
import { cancelRun } from "./follow-call";
import { type OfferDeps, offerTo } from "./offer-to";
import { beginSession, findSession, sessionHeader } from "./sessions";

/** What serving MCP clients needs beside what chats need. */
export type GatewayDeps = OfferDeps & { exchanges: Exchanges };

interface Asked {
  request: Request;
  person: Person;
}

/** Bytes of the messages of one request; arguments may have a million characters. */
const maxBody = 5_000_000;

/** One message of an MCP client, or several where its revision has that: requests, notifications, answers. */
export async function takeMessages(deps: GatewayDeps, { request, person }: Asked): Promise<Response> {
  const messages = await readBody(request, z.unknown(), maxBody);
  const begun = methodOf(messages) === "initialize" ? await beginSession(deps, person, messages) : undefined;
  const session = begun ?? (await findSession(deps, person, request));
  if (Array.isArray(messages) && !takesBatches(session.protocol))
    throw new HttpError(
      400,
      "invalid_input",
      `Send one message at a time: ${session.protocol} has no batches.`,
    );
  for (const requestId of cancelledIn(messages))
    if (!deps.exchanges.cancel(session.id, requestId)) await cancelElsewhere(deps, session, requestId);
  for (const message of [messages].flat())
    if (methodOf(message) === undefined) await takeClientAnswer(deps, { person, session }, message);
  const onOpen = (exchange: Exchange) => {
    const end = endOf(request);
    end?.addEventListener("abort", exchange.close, { once: true });
    const remove = deps.exchanges.add(session.id, exchange);
    return () => {
      end?.removeEventListener("abort", exchange.close);
      remove();
    };
  };
  const work = () => answerMessages(request, messages, offerTo(deps, person, session), onOpen);
  const { tracing } = deps;
  const named = tracing && Traced.safeParse(messages).data?.params._meta;
  const answer = await (tracing && named ? tracing.within(named, work) : work());
  return begun ? withSession(answer, begun.id) : answer;
}

/** A single message may name a trace of its own, which goes before that of the headers (SEP-414). */
const Traced = z.looseObject({
  params: z.looseObject({
    _meta: z.looseObject({ traceparent: z.string(), tracestate: z.unknown().optional() }),
  }),
});

/** Of a single message; an answer has none. */
const methodOf = (message: unknown) => (message as { method?: unknown } | null | undefined)?.method;

const Cancelled = z.looseObject({
  params: z.looseObject({ requestId: z.union([z.string(), z.number()]) }),
});

const cancelledIn = (messages: unknown) =>
  [messages]
    .flat()
    .filter((message) => methodOf(message) === "notifications/cancelled")
    .flatMap((message) => Cancelled.safeParse(message).data?.params.requestId ?? []);

/** Another instance is answering it: its run is stopped there. */
async function cancelElsewhere(
  deps: GatewayDeps,
  { userId, conversationId }: GatewaySessionRow,
  requestId: RequestId,
): Promise<void> {
  const { members, runs } = deps.store;
  if (!members.mayBeMany || conversationId === null) return;
  const open = [...(await runs.runningOf({ conversationId })), ...(await runs.waitingIn(conversationId))];
  const row = open.find(({ options }) => options.gateway?.requestId === requestId);
  if (row?.userId === userId) await cancelRun(deps, row);
}

function withSession(answer: Response, id: string): Response {
  const headers = new Headers(answer.headers);
  headers.set(sessionHeader, id);
  return new Response(answer.body, { status: answer.status, headers });
}

/** The stream on which a client is told of changes. */
export async function streamChanges(deps: GatewayDeps, { request, person }: Asked): Promise<Response> {
  const session = await findSession(deps, person, request);
  const { signal } = request;
  const remove = deps.exchanges.addStream();
  signal.addEventListener("abort", remove, { once: true });
  if (signal.aborted) remove();
  return openNotifications(request, offerTo(deps, person, session), signal);
}

/** Ends a session; what is under way in it is cancelled. */
export async function endSession(deps: GatewayDeps, { request, person }: Asked): Promise<Response> {
  const session = await findSession(deps, person, request);
  await deps.store.gatewaySessions.delete(session.id);
  deps.exchanges.close(session.id);
  return new Response(null, { status: 204 });
}
