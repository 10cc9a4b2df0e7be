import { tokensAround, tokensOf, tokensOfTool } from "@/lib/protocol/count-tokens";
import type { ModelRequest } from "@/lib/protocol/http";
import type { AssistantMessage, ChatMessage, FilePart, ToolContent } from "@/lib/protocol/message";

/** One line of what a model was sent: a message, or one of the results in one. */
export interface SentRow {
  /** The tool of a result. */
  name: string;
  kind: "question" | "model" | "result" | "failed" | "summary";
  text: string;
  tokens: number;
  /** Whether the turn before was not sent it. */
  isNew: boolean;
}

/** Tools of one server, as the model was told of them. */
export interface SentServer {
  /** Empty for names without one. */
  server: string;
  tools: { name: string; text: string; tokens: number; isNew: boolean }[];
  tokens: number;
}

/** The messages as rows; `before` is what the turn before was sent. */
export function toRows(messages: readonly ChatMessage[], before: readonly ChatMessage[] | null): SentRow[] {
  const names = new Map<string, string>();
  for (const message of messages)
    for (const part of message.role === "assistant" ? message.parts : [])
      if (part.type === "tool_call") names.set(part.id, part.name);
  const common = before ? sameAtStart(messages, before) : messages.length;
  return messages.flatMap((message, at) =>
    linesOf(message, names).map((line) => ({
      ...line,
      tokens: tokensOf(line.text) + tokensAround,
      isNew: at >= common,
    })),
  );
}

type Line = Pick<SentRow, "kind" | "name" | "text">;

function linesOf(message: ChatMessage, names: ReadonlyMap<string, string>): Line[] {
  switch (message.role) {
    case "user":
      return [{ kind: "question", name: "", text: message.parts.map(textOf).join("\n") }];
    case "summary":
      return [{ kind: "summary", name: "", text: message.text }];
    case "assistant":
      return [{ kind: "model", name: "", text: message.parts.map(wordsOf).join("\n") }];
    case "tool":
      return message.results.map(({ id, status, content }) => ({
        kind: status === "ok" ? "result" : "failed",
        name: names.get(id) ?? "",
        text: content.map(textOf).join("\n"),
      }));
  }
}

/** How many messages two requests begin with in common. */
function sameAtStart(now: readonly ChatMessage[], before: readonly ChatMessage[]): number {
  let at = 0;
  while (at < now.length && at < before.length && JSON.stringify(now[at]) === JSON.stringify(before[at]))
    at++;
  return at;
}

function textOf(part: ToolContent | FilePart | { type: "text"; text: string }): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "file":
      return `[${part.name ?? part.mediaType}]`;
    case "resource_link":
      return `[${part.name}] ${part.uri}`;
  }
}

function wordsOf(part: AssistantMessage["parts"][number]): string {
  return part.type === "tool_call" ? `${part.name} ${JSON.stringify(part.args)}` : part.text;
}

type Tools = NonNullable<ModelRequest["tools"]>;

export function toServers(tools: Tools, before: Tools | null): SentServer[] {
  const known = new Set(before?.map((tool) => JSON.stringify(tool)));
  const servers = Map.groupBy(tools, ({ name }) =>
    name.includes("__") ? name.slice(0, name.indexOf("__")) : "",
  );
  return [...servers].map(([server, own]) => {
    const told = own.map((tool) => ({
      name: server === "" ? tool.name : tool.name.slice(server.length + 2),
      text: `${tool.description}\n\n${JSON.stringify(tool.inputSchema, null, 2)}`.trim(),
      tokens: tokensOfTool(tool),
      isNew: before !== null && !known.has(JSON.stringify(tool)),
    }));
    return { server, tools: told, tokens: told.reduce((sum, { tokens }) => sum + tokens, 0) };
  });
}

/** Characters of one message or tool in the text that two requests are compared by. */
const maxLine = 1_000;

export interface Compared {
  /** What is not as before, line by line. */
  before: string;
  now: string;
  /** Parts that are as before. */
  same: ("system" | "tools" | "params")[];
}

/** Two requests as texts that can be compared, without the parts that are the same in both. */
export function compareRequests(before: ModelRequest, now: ModelRequest): Compared {
  const same = (["system", "tools", "params"] as const).filter(
    (part) => JSON.stringify(before[part]) === JSON.stringify(now[part]),
  );
  const textOfRequest = (request: ModelRequest) => linesOfRequest(request, same).join("\n");
  return { before: textOfRequest(before), now: textOfRequest(now), same };
}

function linesOfRequest({ system, tools, messages, params }: ModelRequest, same: Compared["same"]): string[] {
  const lines = [
    ...(system === null || same.includes("system") ? [] : system.split("\n")),
    ...(same.includes("tools") ? [] : (tools ?? []).map((tool) => JSON.stringify(tool))),
    ...(messages ?? []).map((message) => JSON.stringify(message)),
    ...(same.includes("params") ? [] : Object.entries(params ?? {})).map(
      ([name, value]) => `"${name}": ${JSON.stringify(value)}`,
    ),
  ];
  return lines.map((line) => (line.length > maxLine ? `${line.slice(0, maxLine)}…` : line));
}
