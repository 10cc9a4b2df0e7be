import OpenAI from "openai";

const meguri = new OpenAI({ baseURL: `${process.env.MEGURI_URL}/v1`, apiKey: process.env.MEGURI_TOKEN });
const model = "openai/gpt-5-mini";
const first = await meguri.responses.create({ model, input: "Think of a tea.", store: true });
const events = await meguri.responses.create({
  model,
  input: "Where does it come from?",
  previous_response_id: first.id,
  store: true,
  stream: true,
});
for await (const event of events) if (event.type === "response.output_text.done") console.log(event.text);
