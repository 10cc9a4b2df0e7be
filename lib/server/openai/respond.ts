import type { z } from "zod";
import type { ProgramOptions } from "@/lib/protocol/program";
import { type ResponseBody, responseFields } from "@/lib/server/contract/openai-responses";
import type { ChatDeps } from "@/lib/server/conversations/chat";
import type { Person } from "@/lib/server/http/guard";
import { ask, isBy, whoAnswers } from "./ask";
import { samplingOf, toTool } from "./complete-chat";
import { fieldError } from "./errors";
import { fromInput } from "./from-input";
import { type PictureDeps, SentFiles } from "./keep-files";
import { placeAfter, placeQuestion } from "./place-question";
import { readMessages } from "./read-messages";
import { type ResponseHead, ResponseWriter, toResponse } from "./response-writer";
import { type RestoredAnswer, restoreAnswer } from "./restore-answer";
import { ignoredIn, sendAnswer } from "./send-answer";

type Body = z.output<typeof ResponseBody>;
type FunctionTool = ResponseHead["tools"][number];

/** Answers a program as OpenAI's responses do. */
export async function respond(
  deps: ChatDeps & PictureDeps,
  person: Person,
  body: Body,
  request: Pick<Request, "headers" | "signal">,
): Promise<Response> {
  const who = await whoAnswers(deps, person, body.model);
  const after = body.previous_response_id
    ? await findPrevious(deps, person.id, body.previous_response_id)
    : undefined;
  const files = new SentFiles(deps, { userId: person.id, signal: request.signal });
  const read = await readMessages(fromInput(body.input), {
    ...{ end: `input[${body.input.length}]`, after },
    keep: (file) => files.keep(file),
    restore: async (runId) => {
      const found = await restoreAnswer(deps, person.id, runId);
      return found && isBy(found.run, who) ? found : undefined;
    },
  });
  const isKept = body.store === true;
  const { tools, leftOut } = splitTools(body.tools);
  const placed = after
    ? await placeAfter(deps, after, read, isKept)
    : await placeQuestion(deps, read, isKept);
  const run = await ask(deps, person, who, {
    instructions: [body.instructions ?? "", read.instructions].filter(Boolean).join("\n\n"),
    asked: { ...placed, attachments: files.ids, isKept },
    program: toProgramOptions(body, tools),
    options: toOptions(body),
  });
  const head = { run, body, tools };
  const telling = body.stream ? { writer: new ResponseWriter(head) } : { whole: toResponse.bind(null, head) };
  const headers = ignoredIn(body, responseFields, leftOut);
  return sendAnswer(deps, { run, person, telling, headers }, request);
}

/** Those that are functions, and in words those that are not. */
function splitTools(tools: Body["tools"]) {
  const all = tools ?? [];
  return {
    tools: all.filter((tool) => "name" in tool),
    leftOut: all.flatMap((tool) => ("leftOut" in tool ? `tools.${tool.leftOut}` : [])),
  };
}

/** The answer that is gone on from; its conversation has to be a kept one. */
async function findPrevious(deps: ChatDeps, userId: string, id: string): Promise<RestoredAnswer> {
  const [, runId] = /^resp_([\w-]{36})$/.exec(id) ?? [];
  const found = runId === undefined ? undefined : await restoreAnswer(deps, userId, runId);
  if (!found)
    throw fieldError(
      "previous_response_id",
      "there is no such response.",
      400,
      "previous_response_not_found",
    );
  const { conversationId } = found.run;
  if ((await deps.store.conversations.get(userId, conversationId))?.origin !== undefined)
    throw fieldError(
      "previous_response_id",
      "this response was not stored: send store: true with the one to go on from, or all that was said as input.",
    );
  return found;
}

function toProgramOptions(
  { tool_choice: choice, parallel_tool_calls, top_p: topP }: Body,
  tools: readonly FunctionTool[],
): ProgramOptions {
  return {
    wire: "responses",
    ...(tools.length > 0 && { tools: tools.map(toTool) }),
    ...(choice != null &&
      choice !== "auto" && { toolChoice: typeof choice === "string" ? choice : { name: choice.name } }),
    ...(parallel_tool_calls === false && { oneCall: true as const }),
    ...samplingOf({ topP }),
  };
}

function toOptions({ text, temperature, max_output_tokens: most, reasoning }: Body) {
  const responseSchema = schemaOf(text?.format);
  return {
    ...(responseSchema && { responseSchema }),
    ...(temperature != null && { temperature }),
    ...(most != null && { maxOutputTokens: most }),
    ...(reasoning?.effort != null && { effort: reasoning.effort }),
  };
}

/** Any object, where no schema is told. */
function schemaOf(format: NonNullable<Body["text"]>["format"]): Record<string, unknown> | undefined {
  if (format?.type === "json_object") return { type: "object" };
  return format?.type === "json_schema" ? format.schema : undefined;
}
