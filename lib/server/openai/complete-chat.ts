import type { z } from "zod";
import type { ProgramOptions } from "@/lib/protocol/program";
import { type ChatCompletionBody, chatCompletionFields } from "@/lib/server/contract/openai-chat";
import type { ChatDeps } from "@/lib/server/conversations/chat";
import type { Person } from "@/lib/server/http/guard";
import { ask, isBy, whoAnswers } from "./ask";
import { ChatWriter, toCompletion } from "./chat-writer";
import { fromChat } from "./from-chat";
import { type PictureDeps, SentFiles } from "./keep-files";
import { placeQuestion } from "./place-question";
import { readMessages } from "./read-messages";
import { restoreAnswer } from "./restore-answer";
import { ignoredIn, sendAnswer } from "./send-answer";

type Body = z.output<typeof ChatCompletionBody>;

/** Answers a program as OpenAI's chat completions do. */
export async function completeChat(
  deps: ChatDeps & PictureDeps,
  person: Person,
  body: Body,
  request: Pick<Request, "headers" | "signal">,
): Promise<Response> {
  const who = await whoAnswers(deps, person, body.model);
  const files = new SentFiles(deps, { userId: person.id, signal: request.signal });
  const read = await readMessages(fromChat(body.messages), {
    end: `messages[${body.messages.length}]`,
    keep: (file) => files.keep(file),
    restore: async (runId) => {
      const found = await restoreAnswer(deps, person.id, runId);
      return found && isBy(found.run, who) ? found : undefined;
    },
  });
  const isKept = body.store === true;
  const placed = await placeQuestion(deps, read, isKept);
  const run = await ask(deps, person, who, {
    instructions: read.instructions,
    asked: { ...placed, attachments: files.ids, isKept },
    program: toProgramOptions(body),
    options: toOptions(body),
  });
  const head = { run, model: body.model };
  const telling = body.stream
    ? { writer: new ChatWriter(head, body.stream_options?.include_usage === true) }
    : { whole: toCompletion.bind(null, head) };
  const headers = ignoredIn(body, chatCompletionFields);
  return sendAnswer(deps, { run, person, telling, headers }, request);
}

function toProgramOptions({
  stop,
  tools,
  tool_choice,
  parallel_tool_calls,
  top_p: topP,
  seed,
}: Body): ProgramOptions {
  const words = typeof stop === "string" ? [stop] : (stop ?? []);
  return {
    wire: "chat",
    ...(words.length > 0 && { stop: words }),
    ...samplingOf({ topP, seed }),
    ...(tools && tools.length > 0 && { tools: tools.map((tool) => toTool(tool.function)) }),
    ...(tool_choice != null && tool_choice !== "auto" && { toolChoice: toChoice(tool_choice) }),
    ...(parallel_tool_calls === false && { oneCall: true as const }),
  };
}

export const samplingOf = ({
  topP,
  seed,
}: {
  topP?: number | null | undefined;
  seed?: number | null | undefined;
}): Pick<ProgramOptions, "sampling"> =>
  topP == null && seed == null
    ? {}
    : { sampling: { ...(topP != null && { topP }), ...(seed != null && { seed }) } };

type SentTool = NonNullable<Body["tools"]>[number]["function"];

export const toTool = ({ name, description, parameters }: SentTool) => ({
  name,
  description: description ?? "",
  inputSchema: parameters ?? { type: "object", properties: {} },
});

const toChoice = (choice: "none" | "required" | { function: { name: string } }) =>
  typeof choice === "string" ? choice : { name: choice.function.name };

function toOptions(body: Body) {
  const responseSchema = schemaOf(body.response_format);
  const maxOutputTokens = body.max_completion_tokens ?? body.max_tokens;
  return {
    ...(responseSchema && { responseSchema }),
    ...(body.temperature != null && { temperature: body.temperature }),
    ...(maxOutputTokens != null && { maxOutputTokens }),
    ...(body.reasoning_effort != null && { effort: body.reasoning_effort }),
  };
}

/** Any object, where no schema is told. */
function schemaOf(format: Body["response_format"]): Record<string, unknown> | undefined {
  if (format?.type === "json_object") return { type: "object" };
  return format?.type === "json_schema" ? format.json_schema.schema : undefined;
}
