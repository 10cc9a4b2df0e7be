import { join } from "node:path";
import type { McpApp } from "@/lib/protocol/mcp-offers";
import { writeCall } from "@/lib/providers/testing/openai-server";
import { cut, say, until } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

/** A call whose arguments stop in two places until the test lets them go on. */
function inThree(path: string) {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const written = ['{"pa', 'th": "', path.slice(0, 4), until(gates[0].promise), path.slice(4, 8)];
  return {
    script: [
      [
        say("I look there."),
        ...writeCall("filesystem__list_directory", [
          ...written,
          until(gates[1].promise),
          `${path.slice(8)}"}`,
        ]),
      ],
      [say("That is all.")],
    ],
    goOn: (at: 0 | 1) => gates[at].resolve(),
  };
}

test("a call is on the page from its name on, its argument grows, and a reload in the middle loses none", async ({
  chat,
  page,
  model,
  app,
}) => {
  const { script, goOn } = inThree(app.sandbox);
  model.script = script;
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("What is there?");
  const line = chat.toolLine("filesystem list_directory, writing arguments, ");
  const argument = line.locator("[data-cell=argument]");
  await expect(argument).toHaveText(app.sandbox.slice(0, 4));
  await line.click();
  const detail = chat.lastTurn.locator("[data-call-detail]");
  await expect(detail.locator("pre")).toHaveText(`{"path": "${app.sandbox.slice(0, 4)}`);
  await expectAccessible(page);
  const place = await line.boundingBox();
  goOn(0);
  await expect(argument).toHaveText(app.sandbox.slice(0, 8));
  expect(await line.boundingBox()).toEqual(place);

  await page.reload();
  await expect(argument).toHaveText(app.sandbox.slice(0, 8));
  await line.click();
  goOn(1);
  await chat.finished();
  const done = chat.toolLine("filesystem list_directory, done, ");
  await expect(done.locator("[data-cell=argument]")).toHaveText(app.sandbox);
  await expect(done).toHaveAttribute("aria-expanded", "true");
  await expect(detail.locator("dd").first()).toHaveText(app.sandbox);
  await expect(detail.getByText("Run again")).toBeVisible();
  const before = await chat.thread();
  await page.reload();
  await chat.finished();
  await done.click();
  await expect.poll(() => chat.thread()).toEqual(before);
});

test("arguments that break off in the middle leave nothing behind when the model is asked again", async ({
  chat,
  page,
  model,
}) => {
  const gate = Promise.withResolvers<void>();
  model.script = (_, turn) =>
    turn === 0
      ? writeCall("filesystem__list_directory", ['{"path": "/half', until(gate.promise), cut])
      : [say("In words, then.")];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("What is there?");
  await expect(chat.toolLine("filesystem list_directory, writing arguments, ")).toBeVisible();
  gate.resolve();
  await expect(chat.lastTurn.getByText(/Trying again in/)).toBeVisible();
  await expect(chat.toolLine("filesystem list_directory")).toHaveCount(0);
  await chat.finished();
  await expect(chat.lastTurn.getByText("In words, then.")).toBeVisible();
  await page.reload();
  await expect(chat.lastTurn.getByText("In words, then.")).toBeVisible();
  await expect(chat.toolLine("filesystem list_directory")).toHaveCount(0);
});

test("a Japanese phone in the dark shows the same", async ({ open, model, app }) => {
  const { script, goOn } = inThree(app.sandbox);
  model.script = script;
  const { page } = await open(app, {
    ...{ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
    ...{ locale: "ja-JP", colorScheme: "dark" as const },
  });
  await page.goto(app.baseUrl);
  await page.getByRole("button", { name: /^モデル：/ }).click();
  await page.getByRole("menuitemcheckbox", { name: /^test-model/ }).click();
  await page.getByRole("textbox", { name: "メッセージ" }).fill("何がありますか");
  await page.getByRole("button", { name: "送信" }).click();
  const line = page.getByRole("button", { name: /^filesystem list_directory ?, 引数を作成中/ });
  await expect(line.locator("[data-cell=argument]")).toHaveText(app.sandbox.slice(0, 4));
  await line.click();
  await expect(page.locator("[data-call-detail] pre")).toContainText('{"path"');
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  goOn(0);
  await expect(line.locator("[data-cell=argument]")).toHaveText(app.sandbox.slice(0, 8));
  goOn(1);
  await expect(page.getByRole("button", { name: /^filesystem list_directory ?, 完了/ })).toBeVisible();
});

test("an app is told of the arguments as they grow, unless a person is to be asked about the call", async ({
  startWithModel,
  open,
}, info) => {
  const script = join(import.meta.dirname, "../support/apps-server.mjs");
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const asks = (at: 0 | 1) =>
    writeCall("apps__show", ['{"word": "te', until(gates[at].promise), 'a", "more": 1}']);
  const { app } = await startWithModel([asks(0), [say("There.")], asks(1), [say("There again.")]], {
    mcpConfig: {
      mcpServers: {
        apps: { command: "node", args: [script, info.outputPath("journal"), "http://evil.invalid"] },
      },
    },
  });
  await serversReady(app);
  const { page: address } = await apiOf(app).post<McpApp>("/api/mcp/apps/open", {
    server: "apps",
    uri: "ui://apps/friendly",
  });
  const chat = await open(app, { visits: [new URL(address).origin] });
  await chat.goto("/");
  await chat.ask("Show it");
  const region = chat.lastTurn.getByRole("region", { name: "App from apps" });
  const inside = region.frameLocator("iframe").frameLocator("iframe");
  const button = chat.lastTurn.getByRole("button", { name: "Show the app from apps" });
  await button.click();
  await expect(inside.getByText('partial: {"word":"te"}')).toBeVisible();
  await expect(inside.locator("#input")).toHaveText("");
  gates[0].resolve();
  await expect(inside.getByText('input: {"word":"tea","more":1}')).toBeVisible();
  await expect(inside.getByText(/^result: .*show ran/)).toBeVisible();
  await chat.finished();

  await apiOf(app).patch("/api/settings", { rules: [{ pattern: "mcp:apps:show", effect: "ask" }] });
  await chat.page.reload();
  await chat.finished();
  await chat.ask("Show it again");
  await expect(chat.toolLine("apps show, writing arguments, ").locator("[data-cell=argument]")).toHaveText(
    "te",
  );
  await expect(button).toHaveCount(0);
  gates[1].resolve();
  await expect(chat.card).toBeVisible();
  await expect(button).toHaveCount(0);
  await chat.card.getByRole("button", { name: /^Allow once/ }).click();
  await chat.finished();
  await button.click();
  await expect(inside.getByText('input: {"word":"tea","more":1}')).toBeVisible();
  await expect(inside.locator("#partial")).toHaveText("");
});
