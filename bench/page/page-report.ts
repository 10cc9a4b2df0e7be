import type { Check, Report } from "@/bench/support/report";
import { round } from "@/bench/support/stats";
import { finestMs, keysPressed } from "./keys";
import { manyRows, type measureLists } from "./long-list";
import { type measureRunPage, runSteps } from "./long-run";
import { type measureReplay, replayedTokens } from "./replay";
import { keysTyped, type SettingsFigures } from "./settings";
import type { StreamingFigures } from "./streaming";
import { switches } from "./switches";
import { longMessages, medianOf, type Visit } from "./visits";

/** What the bare page takes, cold, on the machine that what is accepted was set on. */
const bareMs = 243;

interface PageFigures {
  visits: readonly Visit[];
  asGzip: number;
  streaming: StreamingFigures;
  settings: SettingsFigures;
  lists: Awaited<ReturnType<typeof measureLists>>;
  runs: Awaited<ReturnType<typeof measureRunPage>>;
  replay: Awaited<ReturnType<typeof measureReplay>>;
}

export function writePageReport(figures: PageFigures): Report {
  const { visits, asGzip, streaming, settings, lists, runs, replay } = figures;
  const { many, few, held } = lists;
  const of = (key: Parameters<typeof medianOf>[1]) => medianOf(visits, key);
  const uncompressed = new Set(visits.flatMap((visit) => visit.uncompressed)).size;
  const { keys } = streaming;
  return {
    title: "The page",
    about: `The built application in Chromium with an empty cache, on the machine that also serves it. Scripts: bodies of all script responses as they came over the wire, workers included: ours with Brotli, those of the bare page with gzip, as Next sends them. Usable: from the navigation until React listens to the composer; warm: with what the visit before has left in the cache; ${longMessages.toLocaleString("en")} messages: until the last of them stands there as well. Bare: a page of Next with one field, which is all that it does (\`bench/bare\`); what is accepted was set on a machine on which that one takes ${bareMs} ms cold, so that ${round(of("bareUsableMs") / bareMs)} tells how much slower this one is. Reload: an answer of which 20 KB have come, and which goes on, is reloaded; from the first byte of the page until all of that stands there again. A long answer: 20,000 tokens of Markdown with lists, tables and code, 1,000 a second; main thread: time of its tasks. Key to paint: event timing of the browser, which tells nothing below ${finestMs} ms and goes in steps of 8, p95 of ${keysPressed} keys; on an empty page, while an answer comes at 100 tokens a second, and below the long one. A list of ${manyRows.toLocaleString("en")} conversations, all of them loaded, beside one of 50 in the same browser: frames later than 20 ms while a wheel scrolls down and up again for some seconds; from a click until the frame that shows what it does, the first time, with what is fetched for it. The page of a run of ${runSteps.toLocaleString("en")} steps, beside one of 40, with scripts in the cache: from the navigation until the first of them stand there, and all. A replay: the link of an answer of ${replayedTokens.toLocaleString("en")} tokens, 50 a second, at 20 times its speed. Switches: from conversation to conversation among 24, after a collection of garbage, against the first 12. Tools found: from one change of the search that all of them fit, until the last stands there. Medians of ${visits.length} visits, of the long answer and the keys of three.`,
    checks: [
      check("JavaScript of the new-chat page", 185_000, of("scripts"), kb),
      check("JavaScript with a first answer", 320_000, of("withAnswer"), kb),
      check("composer usable, cold", 350, of("usableMs"), ms),
      check("composer usable, warm", 150, of("warmMs"), ms),
      check(`${longMessages.toLocaleString("en")} messages usable`, 500, of("longMs"), ms),
      check(`a run of ${runSteps.toLocaleString("en")} steps usable`, 500, runs.long.usableMs, ms),
      check("late frames in it, beside 40 steps", 0.05, runs.long.lateFrames - runs.short.lateFrames, share),
      check("answer so far after a reload (goal)", 300, of("reloadMs"), ms),
      check("late frames in a list of 5,000, beside 50", 0.05, many.lateFrames - few.lateFrames, share),
      check("choosing the first of 5,000", 200, many.chooseMs, ms),
      check("choosing all of 5,000", 200, many.chooseAllMs, ms),
      check(`memory after ${switches} switches`, 0.1, held.last.heapMb / held.first.heapMb - 1, share),
      check(`nodes after ${switches} switches`, 0.1, held.last.nodes / held.first.nodes - 1, share),
      check(
        `listeners after ${switches} switches`,
        0.1,
        held.last.listeners / held.first.listeners - 1,
        share,
      ),
      atLeast("frames a second with a long answer", 59, streaming.framesASecond),
      atLeast("frames a second of a replay at 20 × (goal)", 59, replay.framesASecond),
      check("main thread of the long answer", 4, streaming.mainSeconds, seconds),
      check("key to paint, idle, p95", 16, keys.idle, ms),
      check("key to paint, at 100 tokens a second, p95", 24, keys.streaming, ms),
      check("key to paint, after the long answer, p95", 24, keys.after, ms),
      check("settings with 30 servers and 510 tools usable, cold (goal)", 500, settings.usableMs, ms),
      check("a key in the search over them, handled", 16, settings.keyMs, ms),
      check(`the slowest of ${keysTyped} keys`, 16, settings.slowestKeyMs, ms),
      check("510 tools found and shown", 500, settings.foundMs, ms),
      check("scripts over 1 KB that came uncompressed", 0, uncompressed, String),
    ],
    tables: [
      {
        head: ["", "ours", "a bare page of Next"],
        rows: [
          ["JavaScript, KB", round(of("scripts") / 1_000), round(of("bareScripts") / 1_000)],
          ["both with gzip, KB", round(asGzip / 1_000), round(of("bareScripts") / 1_000)],
          ["usable, cold, ms", round(of("usableMs")), round(of("bareUsableMs"))],
          [
            "reload to the answer, or to usable, from the first byte, ms",
            round(of("reloadMs")),
            round(of("bareAfterMs")),
          ],
          ["key to paint, idle, p95, ms", round(keys.idle), round(keys.bare)],
        ],
      },
      {
        head: ["the page of a run", `${runSteps.toLocaleString("en")} steps`, "40"],
        rows: [
          ["usable, ms", round(runs.long.usableMs), round(runs.short.usableMs)],
          ["all steps stand there, ms", round(runs.long.wholeMs), round(runs.short.wholeMs)],
          ["late frames", share(runs.long.lateFrames), share(runs.short.lateFrames)],
        ],
      },
      {
        head: ["the list", manyRows.toLocaleString("en"), "50"],
        rows: (
          [
            ["first rows, ms", "firstRowsMs"],
            ["a conversation is named as open, ms", "openMs"],
            ["the click on it, until the next frame, ms", "openPressMs"],
            ["the first is chosen, ms", "chooseMs"],
            ["all are chosen, ms", "chooseAllMs"],
            ["one is pinned, ms", "pinMs"],
            ["JavaScript holds, MB", "heapMb"],
          ] as const
        )
          .map(([what, key]) => [what, round(many[key]), round(few[key])])
          .concat([["late frames", share(many.lateFrames), share(few.lateFrames)]]),
      },
      {
        head: ["switches", "JavaScript holds, MB", "nodes", "listeners"],
        rows: [
          ["after 12", round(held.first.heapMb), String(held.first.nodes), String(held.first.listeners)],
          [
            `after ${switches} more`,
            round(held.last.heapMb),
            String(held.last.nodes),
            String(held.last.listeners),
          ],
        ],
      },
      {
        head: ["a long answer", ""],
        rows: [
          ["seconds on the page", round(streaming.seconds)],
          ["main thread, s", round(streaming.mainSeconds)],
          ["frames a second", round(streaming.framesASecond)],
          ["tasks over 50 ms", String(streaming.longTasks)],
        ],
      },
      {
        head: ["a replay at 20 ×", ""],
        rows: [
          ["seconds on the page", round(replay.seconds)],
          ["frames a second", round(replay.framesASecond)],
          ["late frames", share(replay.lateFrames)],
        ],
      },
    ],
  };
}

const ms = (value: number) => `${round(value)} ms`;
const kb = (bytes: number) => `${round(bytes / 1_000)} KB`;
const share = (value: number) => `${round(value * 100)} %`;
const seconds = (value: number) => `${round(value)} s`;

const check = (what: string, most: number, measured: number, write: (value: number) => string): Check => ({
  what,
  accepted: write(most),
  measured: write(measured),
  met: measured <= most,
});

const atLeast = (what: string, least: number, measured: number): Check => ({
  ...{ what, accepted: `at least ${least}`, measured: round(measured) },
  met: Number(round(measured)) >= least,
});
