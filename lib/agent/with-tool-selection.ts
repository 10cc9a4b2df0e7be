import { isTooMuchAtOnce, tokensOfTool } from "@/lib/protocol/count-tokens";
import { notRun } from "@/lib/protocol/history";
import type { ChatMessage, ToolCall, ToolResult } from "@/lib/protocol/message";
import { findArgumentProblems } from "./argument-problems";
import type { ToolBox, ToolSpec } from "./ports";

export interface SelectionOptions {
  /** Tokens that the model can read, where they are known. */
  window: number | undefined;
  /** What the conversation has called or found before stays at hand. */
  history: readonly ChatMessage[];
  /** Tools that are to be searched for, however few there are. */
  deferred?: (name: string) => boolean;
}

/** Names that the description of the search lists, in characters. */
const maxDirectory = 6_000;
const maxFound = 10;
/** Of the best match. */
const worthShowing = 0.2;

/** Name of the built-in tool that finds others. */
export const findToolsName = "meguri__find_tools";

/**
 * Where there are more tools than a model can well choose from (40, or 5 % of what it can read), it gets a search in
 * their place: what it finds is described from its next turn on. What it calls by name without that runs all the same.
 * Deferred tools are always searched for, and count for nothing.
 */
export function withToolSelection(tools: ToolBox, options: SelectionOptions): ToolBox {
  const { window, history, deferred = () => false } = options;
  const found = usedBefore(history);
  const isTooMuch = (specs: readonly ToolSpec[]) => {
    const tokens = specs.reduce((sum, spec) => sum + tokensOfTool(spec), 0);
    return isTooMuchAtOnce({ tools: specs.length, tokens }, window);
  };
  const searched = (specs: readonly ToolSpec[]) => {
    const atOnce = specs.filter(({ name }) => !deferred(name));
    return isTooMuch(atOnce) ? specs : specs.filter(({ name }) => deferred(name));
  };
  let made: Narrowed | undefined;
  return {
    list() {
      const specs = tools.list();
      const away = searched(specs);
      if (away.length === 0) return specs;
      const hidden = away.filter(({ name }) => !found.has(name));
      // The same list as long as nothing changes, so that adapters need not convert it again.
      if (!made || !sameSpecs(made.specs, specs) || !sameSpecs(made.hidden, hidden))
        made = known({ specs, away, hidden }) ?? { specs, away, hidden, list: narrowed(specs, away, hidden) };
      newest = made;
      return made.list;
    },
    async call(call, context) {
      const away = call.name === findToolsName ? searched(tools.list()) : [];
      if (away.length === 0) return tools.call(call, context);
      await context.emit({ type: "tool_start", id: call.id, args: call.args });
      return find(call, away, found);
    },
  };
}

interface Selected {
  specs: readonly ToolSpec[];
  away: readonly ToolSpec[];
  hidden: readonly ToolSpec[];
}

interface Narrowed extends Selected {
  list: readonly ToolSpec[];
}

/** Of whichever run: most runs offer the same, and adapters keep what they make of a list by its identity. */
let newest: Narrowed | undefined;

/** What was made last, where it was made of the same. */
function known(selected: Selected): Narrowed | undefined {
  const isSame = (part: keyof Selected) =>
    newest?.[part].length === selected[part].length &&
    newest[part].every((spec, at) => spec === selected[part][at]);
  return isSame("specs") && isSame("away") && isSame("hidden") ? newest : undefined;
}

const sameSpecs = (before: readonly ToolSpec[], now: readonly ToolSpec[]) =>
  before === now ||
  (before.length === now.length &&
    before.every(
      ({ name, inputSchema }, at) => now[at]?.name === name && now[at]?.inputSchema === inputSchema,
    ));

/** The search for what is away, and everything but what is hidden still. */
function narrowed(
  specs: readonly ToolSpec[],
  away: readonly ToolSpec[],
  hidden: readonly ToolSpec[],
): ToolSpec[] {
  const names = away.map(({ name }) => name).join(", ");
  const there =
    away.length === specs.length
      ? `${specs.length} tools are connected, too many to describe at once`
      : `${away.length} more tools are connected that are not described here`;
  const directory = names.length > maxDirectory ? `${names.slice(0, maxDirectory)}, …` : names;
  const search: ToolSpec = {
    name: findToolsName,
    description: `Finds tools by what they do. ${there}: search for what you need in a few words; what is found can be called from your next turn on. Their names: ${directory}`,
    inputSchema: findSchema,
  };
  const unseen = new Set(hidden);
  return [search, ...specs.filter((spec) => !unseen.has(spec))];
}

const findSchema = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, description: "What the tool should do, or a part of its name." },
  },
  required: ["query"],
  additionalProperties: false,
};

function find({ id, args }: ToolCall, specs: readonly ToolSpec[], found: Set<string>): ToolResult {
  const [problem] = findArgumentProblems(findSchema, args);
  if (problem) return notRun(id, `Not run: ${problem}`);
  const matching = rankTools(specs, String(args.query)).slice(0, maxFound);
  if (matching.length === 0)
    return {
      id,
      status: "ok",
      content: [{ type: "text", text: "No tool fits these words. Try others, or a name of the list." }],
      structured: { tools: [] },
    };
  for (const { name } of matching) found.add(name);
  const lines = matching.map(({ name, description }) => `- ${name}: ${description.split("\n", 1)[0]}`);
  return {
    id,
    status: "ok",
    content: [{ type: "text", text: `Can be called from now on:\n${lines.join("\n")}` }],
    structured: { tools: matching.map(({ name }) => ({ name })) },
  };
}

/** Best first, by the words in name and description; a word that few tools have counts more. */
export function rankTools<Spec extends Pick<ToolSpec, "name" | "description">>(
  specs: readonly Spec[],
  query: string,
): Spec[] {
  // Nearly every name has any single Latin letter; a single Japanese character is rare.
  const words = [...new Set(query.toLowerCase().match(/[a-z0-9]{2,}|[^\P{L}a-z]+/gu) ?? [])].slice(0, 20);
  const texts = specs.map(
    ({ name, description }) => [name.toLowerCase(), description.toLowerCase()] as const,
  );
  const scores = specs.map(() => 0);
  for (const word of words) {
    const hits = texts.map(
      ([name, description]) => (name.includes(word) ? 4 : 0) + (description.includes(word) ? 1 : 0),
    );
    const rarity = Math.log(1 + specs.length / (1 + hits.filter(Boolean).length));
    for (const [at, hit] of hits.entries()) scores[at] = (scores[at] ?? 0) + hit * rarity;
  }
  const enough = Math.max(...scores) * worthShowing;
  return specs
    .map((spec, at) => ({ spec, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0 && score >= enough)
    .sort((a, b) => b.score - a.score)
    .map(({ spec }) => spec);
}

/** Tools that were called, and those that a search has brought. */
function usedBefore(history: readonly ChatMessage[]): Set<string> {
  const names = new Set<string>();
  const searches = new Set<string>();
  for (const message of history) {
    if (message.role === "assistant")
      for (const part of message.parts) {
        if (part.type !== "tool_call") continue;
        if (part.name === findToolsName) searches.add(part.id);
        else names.add(part.name);
      }
    if (message.role !== "tool") continue;
    for (const { id, structured } of message.results)
      if (searches.has(id))
        for (const { name } of (structured as { tools?: { name: string }[] })?.tools ?? []) names.add(name);
  }
  return names;
}
