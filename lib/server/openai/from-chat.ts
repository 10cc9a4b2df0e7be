import type { z } from "zod";
import type { ChatCompletionBody } from "@/lib/server/contract/openai-chat";
import type { SentMessage } from "./sent-message";

type Message = z.output<typeof ChatCompletionBody>["messages"][number];
type QuestionPart = Extract<Message, { role: "user" }>["content"][number];
type SentParts = Extract<SentMessage, { role: "user" }>["parts"];

/** The messages of a chat completion. */
export const fromChat = (messages: readonly Message[]): SentMessage[] =>
  messages.map((message, index) => toSent(message, `messages[${index}]`));

function toSent(message: Message, param: string): SentMessage {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", param, text: textOf(message.content) };
    case "user":
      return {
        ...{ role: "user", param },
        parts: message.content.map((part, index) => toPart(part, `${param}.content[${index}]`)),
      };
    case "assistant":
      return {
        ...{ role: "assistant", param, text: textOf(message.content ?? []) },
        calls: (message.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called })),
      };
    case "tool":
      return {
        ...{ role: "tool", param: `${param}.tool_call_id`, id: message.tool_call_id },
        text: textOf(message.content),
      };
  }
}

function toPart(part: QuestionPart, param: string): SentParts[number] {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image_url": {
      const { url } = part.image_url;
      return { type: "file", url, mustBePicture: true, param: `${param}.image_url.url` };
    }
    case "file": {
      const { filename, file_data: url } = part.file;
      const file = { url, name: filename ?? undefined, mustBePicture: false };
      return { type: "file", ...file, param: `${param}.file.file_data` };
    }
  }
}

const textOf = (content: readonly { text: string }[]): string => content.map(({ text }) => text).join("\n");
