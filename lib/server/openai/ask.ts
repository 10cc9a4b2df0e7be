import type { z } from "zod";
import type { ChatBody } from "@/lib/server/contract/chat";
import type { AskedByProgram } from "@/lib/server/conversations/ask-for-program";
import { type ChatDeps, chat } from "@/lib/server/conversations/chat";
import { HttpError } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";
import { textOfQuestion } from "@/lib/server/title";
import type { RunRow } from "@/lib/store/types";
import { noSuchModel } from "./errors";

type ChatRequest = z.output<typeof ChatBody>;

/** What a program asks, whichever wire it has come by. */
export interface ProgramQuestion {
  /** `provider/name`, `assistant/<id>` or `agent/<id>`. */
  model: string;
  instructions: string;
  asked: Omit<AskedByProgram, "options"> & { options: AskedByProgram["options"] };
  options: NonNullable<ChatRequest["options"]>;
}

/** Begins the run that answers, as a message in the page does. */
export async function ask(
  deps: ChatDeps,
  person: Person,
  { model, instructions, asked, options }: ProgramQuestion,
): Promise<RunRow> {
  const who = answering(model, person);
  const request = {
    message: { text: textOfQuestion(asked.question.parts) },
    ...(instructions !== "" && { instructions }),
    ...who,
    options,
    program: {
      ...asked,
      options: {
        ...asked.options,
        ...(person.token && { client: person.token.name }),
        ...(who.model !== undefined && { isBare: true as const }),
      },
    },
  };
  return chat(deps, person.id, request).catch((cause) => {
    const isUnknown = cause instanceof HttpError && (cause.code === "unknown_model" || cause.status === 404);
    throw isUnknown ? noSuchModel(model) : cause;
  });
}

/** A model by its name gets the servers that the token names, and assistants and agents have their own. The launch token is for all. */
function answering(
  model: string,
  { token }: Person,
): Pick<ChatRequest, "model" | "assistant" | "agent" | "servers"> {
  const [, kind, id] = /^(assistant|agent)\/(.+)$/s.exec(model) ?? [];
  if (id !== undefined) return kind === "agent" ? { agent: id } : { assistant: id };
  return { model, servers: token ? (token.servers ?? []) : null };
}
