import type { z } from "zod";
import type { ResponseBody } from "@/lib/server/contract/openai-responses";
import { readCallId, readMessageId } from "./call-refs";
import { fieldError } from "./errors";
import type { SentAnswer, SentCall, SentMessage } from "./sent-message";

type Item = z.output<typeof ResponseBody>["input"][number];
type Parts = Extract<Item, { type: "message" }>["content"];
type SentParts = Extract<SentMessage, { role: "user" }>["parts"];

/** The items of a response's input. An answer and its calls are items of their own there, and one message here. */
export function fromInput(items: readonly Item[]): SentMessage[] {
  const sent: SentMessage[] = [];
  for (const [index, item] of items.entries()) {
    const param = `input[${index}]`;
    switch (item.type) {
      case "message":
        sent.push(toMessage(item, param));
        break;
      case "item_reference":
        sent.push(toNamed(item.id, param));
        break;
      case "function_call": {
        const call = { id: item.call_id, name: item.name, arguments: item.arguments };
        const answer = answerOf(sent, call);
        if (answer) answer.calls.push(call);
        else sent.push({ role: "assistant", param, text: "", calls: [call] });
        break;
      }
      case "function_call_output":
        sent.push({
          ...{ role: "tool", param: `${param}.call_id`, id: item.call_id },
          text: textOf(item.output, `${param}.output`),
        });
        break;
      case "reasoning":
        break;
    }
  }
  return sent;
}

function toMessage({ role, content }: Extract<Item, { type: "message" }>, param: string): SentMessage {
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", param, text: textOf(content, `${param}.content`) };
    case "assistant":
      return { role, param, text: textOf(content, `${param}.content`), calls: [] };
    case "user":
      return {
        ...{ role, param },
        parts: content.map((part, index) => toPart(part, `${param}.content[${index}]`)),
      };
  }
}

function toNamed(id: string, param: string): SentAnswer {
  const runId = readMessageId(id);
  if (runId === undefined)
    throw fieldError(`${param}.id`, "must be the id of a message; send any other item in full.");
  return { role: "assistant", param, text: "", calls: [], runId };
}

/** The answer that has made this call: the newest, or the one before its first results, where that is of the same run. */
function answerOf(sent: readonly SentMessage[], { id }: SentCall): SentAnswer | undefined {
  const last = sent.findLast(({ role }) => role !== "tool");
  if (last?.role !== "assistant") return undefined;
  if (sent.at(-1) === last) return last;
  const runId = readCallId(id)?.runId;
  const isOne = runId !== undefined && runId === readCallId(last.calls[0]?.id ?? "")?.runId;
  return isOne ? last : undefined;
}

function toPart(part: Parts[number], param: string): SentParts[number] {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: part.text };
    case "refusal":
      return { type: "text", text: part.refusal };
    case "input_image":
      return { type: "file", url: part.image_url, mustBePicture: true, param: `${param}.image_url` };
    case "input_file": {
      const file = { url: part.file_data, name: part.filename ?? undefined, mustBePicture: false };
      return { type: "file", ...file, param: `${param}.file_data` };
    }
  }
}

function textOf(parts: Parts, param: string): string {
  const read = parts.map((part, index) => toPart(part, `${param}[${index}]`));
  const file = read.find((part) => part.type === "file");
  if (file?.type === "file") throw fieldError(file.param, "must be text here.");
  return read.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
