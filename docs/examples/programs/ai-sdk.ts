import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { streamText } from "ai";

const meguri = createOpenAICompatible({
  name: "meguri",
  baseURL: `${process.env.MEGURI_URL}/v1`,
  apiKey: process.env.MEGURI_TOKEN ?? "",
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const answer = streamText({ model: meguri("openai/gpt-5-mini"), prompt: "Which notes are about tea?" });
console.log(await answer.text);
