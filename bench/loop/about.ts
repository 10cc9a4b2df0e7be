import type { RacePlan } from "./races";

const rig = [
  "The same scripted model over HTTP and the same MCP server, over Streamable HTTP and over stdio, both in processes of their own.",
  "The model's server refuses who sends fewer messages or tools than the row names; the history is new for each conversation, as a store gives it.",
  "Who offers 500 tools has called every one of them before, so that all are described to the model and none is searched for.",
  "Floor: fetch, an SSE parser by hand, `JSON.parse` and `callTool` (`bench/loop/floor.ts`); nothing is checked, kept or reported.",
  "Ours: `executeWithToolsStream` with adapter, connection pool and every wrapper, put together by the application's own `runProvider` and `runTools`; all but its log and store.",
].join(" ");

const close = [
  "Ours, stored: everything that the application's process opens at its start, and the use case behind `POST /api/chat` up to the stored end of the run, on SQLite in a temporary folder; all but HTTP, and without the title that a model gives a new conversation, as no other contestant asks for one. With a history it asks again and again at the end of one stored conversation, of which its process keeps what it has read (decision 117); the others are given theirs anew.",
  "Ports: `executeWithToolsStream` alone, with a provider that speaks the wire itself.",
  "Bare doStream: a loop by hand on the AI SDK's adapter for this wire; AI SDK: `streamText`.",
].join(" ");

const packets = [
  "Tokens come in four packet sizes, since a read of the socket costs more than a token: 20 a write; singly, each written when the one before is on its way; one a turn of the server's event loop; and 1 ms apart, where all contestants run at the same time.",
  "A fast server's packets run together on their way, so that “singly” still brings several with a read. The accepted figures are the worst of the four and their median.",
  "Gemini and Claude: one turn of the application's provider, to `doStream` of the AI SDK's adapter that it stands on.",
].join(" ");

const cells =
  "“failed” stands where a loop did not do what the row asks, “–” where it was not asked. A hundred at once: in processes that have done nothing else, 5 turns a loop; memory: the most that it held.";

/** How the section is measured, in words. */
export const aboutLoop = (http: RacePlan, stdio: RacePlan): string =>
  `${rig} ${close}

${packets}

CPU time of each contestant's own process for one conversation after a warm-up, to the floor's in the same round (in ms; of a token in µs). Two processes of the same program differ by 10 % for as long as they live, so a contestant is ${http.processes} processes one after the other (over stdio ${stdio.processes}) with ${http.rounds} interleaved rounds in each, a figure is the median of their medians, and ± is half of what lies between the least and the most of them. ${cells}`;

export const aboutPeers = (http: RacePlan): string =>
  `${rig} ADK speaks Gemini's wire, all others OpenAI's; over stdio it is left out, since it starts the server anew for each call.

CPU time of each contestant's own process for one conversation after a warm-up, to the floor's in the same round (in ms; of a token in µs); medians of ${http.rounds} interleaved rounds in one process each, which tells 2 times from 3, not 1.0 from 1.1: for that, the section above. ${cells} Below: what each loop does when things go wrong, run and not read.

![CPU time of each loop, to the floor's](images/loop.svg)`;
