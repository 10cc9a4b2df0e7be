import type { z } from "zod";
import type { ProgramOptions } from "@/lib/protocol/program";
import { findAgent } from "@/lib/server/agents/agents";
import type { ChatBody } from "@/lib/server/contract/chat";
import type { AskedByProgram } from "@/lib/server/conversations/ask-for-program";
import { type ChatDeps, chat } from "@/lib/server/conversations/chat";
import { HttpError } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import { textOfQuestion } from "@/lib/server/title";
import type { RunRow } from "@/lib/store/types";
import { fieldError, noSuchModel } from "./errors";

type ChatRequest = z.output<typeof ChatBody>;

/** Who is to answer: a model with servers, or one's assistant, or an agent. */
export type Answering = Pick<ChatRequest, "model" | "assistant" | "agent" | "servers">;

/** What a program asks, whichever wire it has come by. */
export interface ProgramQuestion {
  instructions: string;
  asked: Omit<AskedByProgram, "options" | "tokenId">;
  program: ProgramOptions;
  options: NonNullable<ChatRequest["options"]>;
}

/**
 * Who `model` names: `assistant/<id>`, `agent/<id>`, else a model by its name. That has the servers that the token names; assistants
 * and agents have their own. The launch token is for all. 404 for an assistant and an agent that are not there.
 */
export async function whoAnswers(
  deps: ChatDeps,
  { id: userId, token }: Person,
  model: string,
): Promise<Answering> {
  const [, kind, id] = /^(assistant|agent)\/(.+)$/s.exec(model) ?? [];
  if (id === undefined) return { model, servers: token ? (token.servers ?? []) : null };
  if (kind === "assistant") {
    if (!(await deps.store.assistants.get(userId, id))) throw noSuchModel(model);
    return { assistant: id };
  }
  await findAgent(deps, id).catch((cause) => {
    throw cause instanceof HttpError && cause.status === 404 ? noSuchModel(model) : cause;
  });
  return { agent: id };
}

/** Whether an answer was given by whom it is asked now. */
export const isBy = ({ agent, options: { program, assistant } }: RunRow, who: Answering): boolean =>
  agent === null &&
  who.agent === undefined &&
  assistant?.id === (who.assistant ?? undefined) &&
  (program?.isBare === true) === (who.model !== undefined);

/** Begins the run that answers, as a message in the page does. */
export async function ask(
  deps: ChatDeps,
  { id: userId, token }: Person,
  who: Answering,
  { instructions, asked, program, options }: ProgramQuestion,
): Promise<RunRow> {
  if (who.agent !== undefined && program.tools)
    throw fieldError("tools", "an agent works with tools of its own; leave them out.");
  if (who.agent !== undefined && options.responseSchema)
    throw fieldError("response_format", "an agent answers in words; leave it out.");
  if (!asked.place && !asked.question)
    throw fieldError(
      program.wire === "chat" ? "messages" : "input",
      "send at least one message of the role user that says something.",
    );
  const request = {
    message: { text: textOfQuestion(asked.question?.parts ?? []) },
    ...(asked.place && { conversationId: asked.place.conversationId }),
    // What the conversation began with holds no more where it is not said again.
    ...((instructions !== "" || asked.place) && { instructions }),
    ...who,
    options,
    program: {
      ...asked,
      ...(token && { tokenId: token.id }),
      options: {
        ...program,
        ...(token && { client: token.name }),
        ...(who.model !== undefined && { isBare: true as const }),
      },
    },
  };
  return chat(deps, userId, request).catch((cause) => {
    const isUnknown = cause instanceof HttpError && cause.code === "unknown_model";
    throw isUnknown ? noSuchModel(who.model ?? "") : cause;
  });
}
