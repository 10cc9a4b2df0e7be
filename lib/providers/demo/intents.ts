import type { Turn } from "@/lib/agent/ports";
import { modelHistory } from "@/lib/protocol/history";
import type { ToolCall } from "@/lib/protocol/message";
import * as actions from "./actions";
import { plainText, report } from "./report";
import { wordingFor } from "./wording";
import { workflowStep } from "./workflow";

interface Intent {
  patterns: RegExp[];
  /** Tools without which it can do nothing, all of one server. */
  needs?: string[];
  next(turn: actions.DemoTurn): actions.DemoStep;
}

/** From the most special to the most general; the first pattern that fits decides. */
const intents: Intent[] = [
  { patterns: [/^(\/tool\s[\s\S]+)/], next: actions.runTools },
  {
    patterns: [/^\/slow\b/, /\bcount (?:up )?to (\d{1,3})/i, /(\d{1,3})\s*まで(?:数|かぞ|カウント)/],
    next: actions.count,
  },
  {
    patterns: [/^\/markdown\b/, /show (?:me )?(?:some )?markdown/i, /マークダウンを?(?:見せ|表示)/],
    next: actions.showMarkdown,
  },
  {
    patterns: [/what (?:do|can) you remember/i, /(?:何|なに)を?(?:覚え|おぼえ|記憶)/],
    needs: ["memory__read_graph"],
    next: actions.recall,
  },
  {
    patterns: [
      /^(?:please )?remember (?:that )?([\s\S]+)/i,
      /^([\s\S]+?)[をと、]?(?:覚えて|おぼえて|記憶して)/,
    ],
    needs: ["memory__read_graph", "memory__create_entities", "memory__add_observations"],
    next: actions.remember,
  },
  {
    patterns: [
      /(?:write|make|create|save) a note (?:called|named) [`"“]?(.+?)[`"”]? (?:saying|that says|with the text) ([\s\S]+)/i,
      /「?([^「」]+?)」?(?:という(?:名前の)?|の)?(?:メモ|ノート)に「?([\s\S]+?)」?(?:と|を)?書いて/,
    ],
    needs: ["filesystem__write_file"],
    next: actions.writeNote,
  },
  {
    patterns: [
      /\b(?:read|open) (?:me )?(?:the file )?[`"“]?([^\s`"“”?]+\.[^\s`"“”?.]+)/i,
      /[「`]?([^\s「」`]+\.[^\s「」`を]+)[」`]?\s*を?\s*(?:読|開)/,
    ],
    needs: ["filesystem__read_text_file"],
    next: actions.readFile,
  },
  {
    patterns: [
      /\b(?:list|show|what)(?: me)? (?:all )?(?:the |my )?(?:files|folder)/i,
      /ファイル.{0,4}(?:一覧|リスト|見せ|表示)/,
    ],
    needs: ["filesystem__list_allowed_directories", "filesystem__list_directory"],
    next: actions.listFiles,
  },
  {
    patterns: [
      /think step by step(?: about)? ?([\s\S]*)/i,
      /^([\s\S]*?)(?:について|を|に関して)?、?(?:順を追って|順番に|一歩ずつ|段階的に|ステップごとに)考えて/,
    ],
    needs: ["sequential-thinking__sequentialthinking"],
    next: actions.think,
  },
];

export function nextStep({
  system,
  history,
  tools,
  toolChoice,
}: Pick<Turn, "system" | "history" | "tools" | "toolChoice">): actions.DemoStep {
  const { request, rounds } = sinceRequest(history);
  const inWorkflow = workflowStep({ system, tools }, request);
  if (inWorkflow) return inWorkflow;
  const words = wordingFor(request);
  const names = tools.map((tool) => tool.name);
  const about = { say: words.about(connected(names)) };
  for (const { patterns, needs = [], next } of intents) {
    const caught = patterns
      .map((pattern) => pattern.exec(request))
      .find((match) => match)
      ?.slice(1);
    if (!caught) continue;
    const missing = needs.find((name) => !names.includes(name));
    if (missing && rounds.length === 0) return { say: words.notConnected(missing.split("__")[0] ?? missing) };
    const round = rounds.at(-1);
    const failed = round && report(round, words).failed;
    if (failed) return { say: failed };
    const last = plainText(round?.results[0]);
    const step = next({ words, caught, rounds, last });
    return "calls" in step && toolChoice === "none" ? about : step;
  }
  return about;
}

function sinceRequest(history: Turn["history"]): { request: string; rounds: actions.Round[] } {
  const messages = modelHistory(history);
  const at = messages.findLastIndex((message) => message.role === "user");
  const message = messages[at];
  // The last one is the person's; those before it tell of files.
  const text = message?.role === "user" ? message.parts.findLast((part) => part.type === "text")?.text : "";
  const rounds: actions.Round[] = [];
  let calls: ToolCall[] = [];
  for (const later of messages.slice(at + 1)) {
    if (later.role === "assistant") calls = later.parts.filter((part) => part.type === "tool_call");
    if (later.role === "tool") rounds.push({ calls, results: later.results });
  }
  return { request: (text ?? "").trim().slice(0, 20_000), rounds };
}

/** Server names with how many tools each has. */
function connected(names: readonly string[]): [server: string, tools: number][] {
  const counts = new Map<string, number>();
  for (const name of names) {
    const server = name.split("__")[0] ?? name;
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  return [...counts];
}
