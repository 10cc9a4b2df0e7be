import OpenAI from "openai";

const meguri = new OpenAI({ baseURL: `${process.env.MEGURI_URL}/v1`, apiKey: process.env.MEGURI_TOKEN });
const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    description: "Tells the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: "user", content: "What does my note about Kyoto say, and does it rain there?" },
];
for (;;) {
  const { choices } = await meguri.chat.completions.create({
    model: "openai/gpt-5-mini",
    messages,
    tools: [weather],
  });
  const message = choices[0]?.message;
  if (!message?.tool_calls) {
    console.log(message?.content);
    break;
  }
  messages.push(message);
  for (const call of message.tool_calls) {
    if (call.type !== "function") continue;
    const { city } = JSON.parse(call.function.arguments);
    messages.push({ role: "tool", tool_call_id: call.id, content: `Rain in ${city}` });
  }
}
