import OpenAI from "openai";

const meguri = new OpenAI({ baseURL: `${process.env.MEGURI_URL}/v1`, apiKey: process.env.MEGURI_TOKEN });
const answer = await meguri.chat.completions.create({
  model: "openai/gpt-5-mini",
  messages: [{ role: "user", content: "Which notes are about tea?" }],
});
console.log(answer.choices[0]?.message.content);
