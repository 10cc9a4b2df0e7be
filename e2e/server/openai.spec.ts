import OpenAI from "openai";
import type { ListedRun, Page } from "@/lib/protocol/http";
import { hang, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/server-test";

test("the package of OpenAI asks a built Meguri, whole and as events, and stops it by going away", async ({
  startWithModel,
}) => {
  const { app, model } = await startWithModel(
    ({ lastUserText }) => [say(`You said ${lastUserText}.`), ...(lastUserText === "Hang on" ? [hang] : [])],
    noServers,
  );
  const openai = new OpenAI({ apiKey: app.token, baseURL: `${app.baseUrl}/v1`, maxRetries: 0 });
  const { data } = await openai.models.list();
  const named = data.find(({ id }) => id.startsWith("openai/"))?.id ?? "";
  const body = (content: string) => ({ model: named, messages: [{ role: "user" as const, content }] });
  const whole = await openai.chat.completions.create(body("Hello"));
  expect(whole.choices[0]?.message.content).toBe("You said Hello.");
  let text = "";
  for await (const { choices } of await openai.chat.completions.create({ ...body("Hello"), stream: true }))
    text += choices[0]?.delta.content ?? "";
  expect(text).toBe("You said Hello.");
  text = "";
  for await (const event of await openai.responses.create({ model: named, input: "Hello", stream: true }))
    if (event.type === "response.output_text.delta") text += event.delta;
  expect(text).toBe("You said Hello.");
  for await (const _ of await openai.chat.completions.create({ ...body("Hang on"), stream: true })) break;
  expect(await model.requests.at(-1)?.ended).toBe("client gone");
  const api = apiOf(app);
  const newest = async () => (await api.get<Page<ListedRun>>("/api/runs?kind=v1&limit=1")).items[0]?.status;
  await expect.poll(newest).toBe("stopped");
  await expect(openai.embeddings.create({ model: named, input: "a" })).rejects.toMatchObject({ status: 404 });
});
