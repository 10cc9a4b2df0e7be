import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { endOf } from "../support/follow-stream";
import { expect, serversReady, test } from "../support/test";

const item = {
  type: "object",
  properties: { name: { type: "string" }, people: { type: "integer" } },
  required: ["name", "people"],
};
const listOfCities = {
  type: "object",
  properties: { cities: { type: "array", items: item } },
  required: ["cities"],
};
const cities = [
  { name: "Kyoto", people: 1_460_000 },
  { name: "Osaka", people: 2_750_000 },
];

test("an answer that is held to a schema shows as a table, after a repair that can be seen, and after a reload", async ({
  chat,
  page,
  app,
  model,
}) => {
  model.script = [
    [say(JSON.stringify({ cities: [{ name: "Kyoto", people: "many" }] }))],
    [say(JSON.stringify({ cities }))],
  ];
  const live = await apiOf(app).ask("Which cities?", {
    model: "openai/test-model",
    servers: [],
    options: { responseSchema: listOfCities },
  });
  await live.closed;
  expect(JSON.parse(endOf(live.events).finalText)).toEqual({ cities });
  expect(model.requests.at(-1)?.body.response_format).toMatchObject({ type: "json_schema" });
  const { conversationId } = await apiOf(app).run(live.runId);
  await chat.goto(`/c/${conversationId}`);
  const table = chat.lastTurn.getByRole("table");
  await expect(table.getByRole("row")).toHaveText([/name.*people/, /Kyoto.*1,?460,?000/, /Osaka/]);
  await expect(chat.lastTurn.getByText(/does not match its schema and is requested again/)).toBeVisible();
  await expect(chat.lastTurn.getByText("1 repair")).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
});

test("with tools it comes through a final tool, and shows as a tree where it is no list", async ({
  chat,
  page,
  app,
  model,
}) => {
  await serversReady(app);
  const trip = { title: "Two days", days: [{ day: 1, stops: [{ at: "Gion" }, { at: "Nara" }] }] };
  model.script = [[{ type: "calls", calls: [{ name: "meguri__answer", args: trip }] }]];
  const live = await apiOf(app).ask("Plan a trip", {
    model: "openai/test-model",
    options: {
      responseSchema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
    },
  });
  await live.closed;
  expect(endOf(live.events)).toMatchObject({ stopReason: "end_turn" });
  const { conversationId } = await apiOf(app).run(live.runId);
  await chat.goto(`/c/${conversationId}`);
  await expect(chat.lastTurn.getByText("Two days")).toBeVisible();
  await expect(chat.lastTurn.getByText("days", { exact: true })).toBeVisible();
  await chat.lastTurn.getByText("stops").click();
  await expect(chat.lastTurn.getByText("Gion")).toBeVisible();
  await expectAccessible(page);
  await chat.lastTurn.getByRole("button", { name: "Show raw" }).click();
  await expect(chat.lastTurn.getByText('"title": "Two days"')).toBeVisible();
});

test("a schema that is none is refused with its place, and nothing is stored", async ({ app }) => {
  const response = await apiOf(app).send("POST", "/api/chat", {
    message: { text: "Which?" },
    options: { responseSchema: { type: "object", properties: { a: { type: "text" } } } },
  });
  expect(response.status).toBe(400);
  expect((await response.json()).error.message).toBe(
    'options.responseSchema: /properties/a/type: "text" is no type of JSON Schema.',
  );
});
