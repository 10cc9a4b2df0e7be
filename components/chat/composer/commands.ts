import { promptStore } from "@/lib/client/conversation/prompts";
import { serverPromptStore } from "@/lib/client/servers/library";
import { skillStore } from "@/lib/client/servers/skills";
import type { McpPromptItem } from "@/lib/protocol/mcp-offers";
import { isNamed, type Prompt } from "@/lib/protocol/prompts";
import type { SkillItem } from "@/lib/protocol/skills";

const maxShown = 50;
/** Of one kind, so that each can be seen. */
const maxOfKind = 20;
const maxNote = 200;

/** What `/` can mean. */
export type Command = { name: string; note: string } & (
  | { kind: "own"; prompt: Prompt }
  | { kind: "skill"; skill: SkillItem }
  | { kind: "prompt"; prompt: McpPromptItem }
);

const sources = [promptStore, skillStore, serverPromptStore] as const;

const look = () => ({
  own: promptStore.snapshot().data?.items ?? [],
  skills: skillStore.snapshot().data?.items ?? [],
  prompts: serverPromptStore.snapshot().data ?? [],
  of: sources.map((source) => source.snapshot()),
});

let known: ReturnType<typeof look> | undefined;

/** The same object as long as nothing changes. */
export function snapshotCommands() {
  if (!known?.of.every((before, at) => before === sources[at]?.snapshot())) known = look();
  return known;
}

export function subscribeToCommands(listener: () => void): () => void {
  const stops = sources.map((source) => source.subscribe(listener));
  return () => {
    for (const stop of stops) stop();
  };
}

/** What has the typed text in its name, of each kind first what begins with it. */
export function findCommands(typed: string, isUsed: (server: string) => boolean): Command[] {
  const { own, skills, prompts } = snapshotCommands();
  const found = (commands: Command[]) =>
    commands
      .filter((command) => isNamed(wordsOf(command), typed))
      .sort((a, b) => Number(startsWith(b, typed)) - Number(startsWith(a, typed)))
      .slice(0, maxOfKind);
  return [
    ...found(own.map((prompt) => ({ kind: "own", name: prompt.name, note: lineOf(prompt.text), prompt }))),
    ...found(
      skills
        .filter(({ server }) => server === null || isUsed(server))
        .map((skill) => ({ kind: "skill", name: skill.name, note: skill.description, skill })),
    ),
    ...found(prompts.filter(({ server }) => isUsed(server)).map(ofServer)),
  ].slice(0, maxShown);
}

const ofServer = (prompt: McpPromptItem): Command => ({
  kind: "prompt",
  name: prompt.name,
  note: [prompt.server, prompt.title ?? prompt.description].filter(Boolean).join(" · "),
  prompt,
});

/** One of a server is found by the name of the server as well. */
const wordsOf = (command: Command): string =>
  command.kind === "prompt" ? `${command.name} ${command.prompt.server}` : command.name;

const startsWith = ({ name }: Command, typed: string): boolean =>
  name.toLowerCase().startsWith(typed.toLowerCase());

const lineOf = (text: string): string => text.slice(0, maxNote).replace(/\s+/g, " ").trim();
