import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import { entitiesIn, excerpt, listItems, plainText, report } from "./report";
import type { Wording } from "./wording";

/** What the demo does next: says something and ends, or calls tools. */
export type DemoStep =
  | { say: string; slowness?: number }
  | { thought: string; calls: Pick<ToolCall, "name" | "args" | "malformed">[] };

export interface Round {
  calls: ToolCall[];
  results: ToolResult[];
}

export interface DemoTurn {
  words: Wording;
  /** What the parentheses of the pattern caught. */
  caught: (string | undefined)[];
  /** The rounds of tools since the request. */
  rounds: Round[];
  last: string;
}

const call = (thought: string, name: string, args: Record<string, unknown> = {}): DemoStep => ({
  thought,
  calls: [{ name, args }],
});

export function listFiles({ words, rounds, last }: DemoTurn): DemoStep {
  if (rounds.length === 0) return call(words.askFolder, "filesystem__list_allowed_directories");
  const folders = plainText(rounds[0]?.results[0]).split("\n");
  const folder = folders.find((line) => /^\s*(\/|[A-Za-z]:)/.test(line))?.trim();
  if (!folder) return { say: words.noFolder };
  if (rounds.length === 1)
    return call(words.lookInto(folder), "filesystem__list_directory", { path: folder });
  const entries = last.split("\n").flatMap((line) => {
    const [, kind, name] = /^\[(FILE|DIR)\] (.+)$/.exec(line.trim()) ?? [];
    return name ? [kind === "DIR" ? `\`${name}/\`` : `\`${name}\``] : [];
  });
  return {
    say:
      entries.length > 0
        ? `${words.entries(entries.length, folder)}\n\n${listItems(entries)}`
        : words.emptyFolder(folder),
  };
}

export function readFile({ words, caught, rounds, last }: DemoTurn): DemoStep {
  const path = caught[0] ?? "";
  if (rounds.length === 0) return call(words.readFile(path), "filesystem__read_text_file", { path });
  return { say: `${words.fileSays(path)}\n\n${excerpt(last)}` };
}

export function writeNote({ words, caught, rounds }: DemoTurn): DemoStep {
  const name = caught[0]?.trim() || "note";
  const path = /\.\w+$/.test(name) ? name : `${name}.md`;
  if (rounds.length > 0) return { say: words.noteWritten(path) };
  return call(words.writeNote(path), "filesystem__write_file", { path, content: `${caught[1] ?? ""}\n` });
}

const person = "user";

export function remember({ words, caught, rounds, last }: DemoTurn): DemoStep {
  const fact = (caught[0] ?? "").replace(/[.。!！]\s*$/, "").trim();
  if (rounds.length === 0) return call(words.lookIntoMemory, "memory__read_graph");
  if (rounds.length > 1) return { say: words.remembered(fact) };
  return entitiesIn(last).some(({ name }) => name === person)
    ? call(words.keep, "memory__add_observations", {
        observations: [{ entityName: person, contents: [fact] }],
      })
    : call(words.keep, "memory__create_entities", {
        entities: [{ name: person, entityType: "person", observations: [fact] }],
      });
}

export function recall({ words, rounds, last }: DemoTurn): DemoStep {
  if (rounds.length === 0) return call(words.lookIntoMemory, "memory__read_graph");
  const facts = listItems(
    entitiesIn(last).flatMap(({ name, observations }) => observations.map((fact) => `**${name}**: ${fact}`)),
  );
  return { say: facts ? `${words.iRemember}\n\n${facts}` : words.nothingRemembered };
}

const thoughts = 3;

export function think({ words, caught, rounds }: DemoTurn): DemoStep {
  const subject = caught[0]?.trim() || words.thisQuestion;
  const thoughtNumber = rounds.length + 1;
  if (thoughtNumber > thoughts) return { say: words.thought(subject, thoughts) };
  return call(words.nextThought(thoughtNumber, thoughts), "sequential-thinking__sequentialthinking", {
    thought: words.thoughts(subject)[rounds.length] ?? subject,
    nextThoughtNeeded: thoughtNumber < thoughts,
    thoughtNumber,
    totalThoughts: thoughts,
  });
}

/** Each line `/tool server__tool {json}` is a call; several run at once. */
export function runTools({ words, caught, rounds }: DemoTurn): DemoStep {
  const round = rounds.at(-1);
  if (round) return { say: report(round, words).text };
  const calls = (caught[0] ?? "").split(/^\/tool\s+/m).flatMap((line) => {
    const [, name, json] = /^(\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
    return name ? [{ name, ...parseArguments(json ?? "") }] : [];
  });
  return calls.length > 0
    ? { thought: words.runAsTold(calls.length), calls: calls.slice(0, 16) }
    : { say: words.toolForm };
}

function parseArguments(json: string): Pick<ToolCall, "args" | "malformed"> {
  if (!json) return { args: {} };
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { args: { ...value } };
  } catch {
    // Sent on as it is: the tool's answer says what is wrong with it.
  }
  return { args: {}, malformed: json };
}

export function count({ caught }: DemoTurn): DemoStep {
  const end = Math.min(Math.max(Number(caught[0] ?? 30), 1), 200);
  return { say: `${Array.from({ length: end }, (_, index) => index + 1).join(" ")}.`, slowness: 5 };
}

export function showMarkdown({ words }: DemoTurn): DemoStep {
  return { say: words.markdown };
}
