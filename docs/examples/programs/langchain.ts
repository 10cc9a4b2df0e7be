import { ChatOpenAI } from "@langchain/openai";

const meguri = new ChatOpenAI({
  model: "openai/gpt-5-mini",
  apiKey: process.env.MEGURI_TOKEN,
  configuration: { baseURL: `${process.env.MEGURI_URL}/v1` },
});
console.log((await meguri.invoke("Which notes are about tea?")).text);
