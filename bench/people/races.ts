import { hashPassword } from "better-auth/crypto";
import { cpuMs } from "@/bench/server/process-load";
import type { App } from "@/e2e/support/app";
import { read, signIn, type Visitor } from "./visitors";

/** Of each contestant, one after the other, as each compiles in its own way for as long as it lives. */
export const processes = 3;
/** Of each of these. */
const warmUps = 20;
const rounds = 40;
const cpuWarmUps = 2;
const roundsOfOne = 3;
export const signIns = 150;
export const answerTokens = 2_000;
const answersARound = 10;
export const cpuRounds = processes * roundsOfOne;

/** An installation with the people in it who ask, and for each words that one conversation of theirs has. */
export interface Filled {
  app: App;
  visitors: { who: Visitor; rare: string }[];
}

/** `same`: another installation like `one`, which tells how far two of the same differ. */
export type Times = Record<"one" | "same" | "many", number[]>;

const acts = {
  "the first page of the list": ({ who }) => timed(() => who.fetch("/api/conversations").then(read)),
  "a search for a word that all conversations have": ({ who }) =>
    timed(() => who.fetch("/api/search?q=harbour").then(read)),
  "a search for what one conversation has": ({ who, rare }) =>
    timed(() => who.fetch(`/api/search?q=${encodeURIComponent(rare)}`).then(read)),
  "a new chat, until its first token": ({ who }) => timeAnswer(who),
} satisfies Record<string, (visitor: Filled["visitors"][number]) => Promise<number>>;
export type Act = keyof typeof acts;
export const actNames = Object.keys(acts) as Act[];

/** Ms of each request, at all places in turns, of several processes each, one after the other. */
export async function raceRequests(places: Record<keyof Times, Filled>): Promise<Record<Act, Times>> {
  console.log("  list, search and start");
  const times = Object.fromEntries(
    actNames.map((name): [Act, Times] => [name, { one: [], same: [], many: [] }]),
  ) as Record<Act, Times>;
  for (let generation = 0; generation < processes; generation++) {
    for (const { app } of Object.values(places)) await app.restart();
    for (let at = 0; at < warmUps + rounds; at++)
      for (const name of actNames)
        for (const place of turned(Object.keys(places) as (keyof Times)[], at)) {
          const { visitors } = places[place];
          const ms = await acts[name](visitors[at % visitors.length] as Filled["visitors"][number]);
          if (at >= warmUps) times[name][place].push(ms);
        }
  }
  return times;
}

/** Ms until the first token; the answer is read to its end. */
async function timeAnswer(who: Visitor): Promise<number> {
  const start = performance.now();
  const response = await who.fetch("/api/chat", { message: { text: "2 tokens 1000 a second" } });
  let first: number | undefined;
  let text = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.includes('"type":"text"')) first ??= performance.now() - start;
  }
  if (!response.ok || first === undefined) throw new Error(`No answer came: ${text.slice(0, 300)}`);
  return first;
}

export interface Entry {
  signInMs: number[];
  hashMs: number[];
}

/** In turns with the hash alone, as the application takes it. */
export async function measureSignIn({ app, visitors }: Filled): Promise<Entry> {
  console.log("  signing in");
  const entry: Entry = { signInMs: [], hashMs: [] };
  for (let at = 0; at < signIns; at++) {
    const { who } = visitors[at % visitors.length] as Filled["visitors"][number];
    entry.hashMs.push(await timed(() => hashPassword("a long enough password")));
    entry.signInMs.push(await timed(() => signIn(app, who)));
  }
  return entry;
}

/** Who asks for an answer, and the process that it costs. */
export interface Asker {
  app: App;
  ask(body: object): Promise<Response>;
}

/** CPU of one answer in ms, for each round, of all in turns. */
export async function raceAnswers<Name extends string>(
  askers: Record<Name, Asker>,
): Promise<Record<Name, number[]>> {
  console.log("  CPU of answers");
  const names = Object.keys(askers) as Name[];
  const cpu = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  const body = { message: { text: `${answerTokens} tokens 5000 a second` } };
  for (let generation = 0; generation < processes; generation++) {
    for (const name of names) await askers[name].app.restart();
    for (let round = 0; round < cpuWarmUps + roundsOfOne; round++)
      for (const name of turned(names, round)) {
        const { app, ask } = askers[name];
        const before = cpuMs(app.pid);
        for (let count = 0; count < answersARound; count++) await (await ask(body)).text();
        if (round >= cpuWarmUps) cpu[name].push((cpuMs(app.pid) - before) / answersARound);
      }
  }
  return cpu;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Each is the first one as often as the others. */
const turned = <Value>(values: readonly Value[], by: number): Value[] =>
  values.map((_, index) => values[(index + by) % values.length] as Value);
