import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callTools, hang, say } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { expect, serversReady, test } from "../support/test";

test("@ offers the agents, and the counter goes three rounds without a model", async ({ chat, page }) => {
  await chat.goto("/");
  await chat.message.pressSequentially("@");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await expect(list.getByRole("option")).toHaveText([
    /@counter/,
    /@document/,
    /@plan/,
    /@review/,
    ...["filesystem", "memory", "sequential-thinking", "everything"].map(
      (server) => new RegExp(`@${server}`),
    ),
  ]);
  await expectAccessible(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Agent: @counter" })).toBeVisible();
  await expect(chat.message).toHaveValue("");
  await chat.ask("Go");
  await chat.finished();
  const answer = chat.lastTurn;
  await expect(answer.getByText("Counter: 3")).toBeVisible();
  await expect(answer.getByText("Counter: 1")).toBeHidden();
  await answer.getByText("Round 1", { exact: true }).click();
  await expect(answer.getByText("Counter: 1")).toBeVisible();
  await expect(answer.getByText("count ended in round 3: counter left the loop.")).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await expect(chat.lastTurn.getByText("count ended in round 3: counter left the loop.")).toBeVisible();
  await expect(chat.lastTurn.getByText("Counter: 3")).toBeVisible();
  await expect(chat.lastTurn.getByText("@counter")).toBeVisible();
  // Chosen for one message: the next goes to the model itself.
  await expect(page.getByRole("button", { name: "Agent", exact: true })).toBeVisible();
});

test("a list of suggestions begins below the bar also when it grows", async ({ chat, page }) => {
  await page.setViewportSize({ width: 1280, height: 520 });
  await chat.goto("/");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await chat.message.fill("@counter");
  await expect(list.getByRole("option")).toHaveCount(1);
  await chat.message.fill("@");
  await expect(list.getByRole("option").nth(7)).toBeAttached();
  expect((await list.boundingBox())?.y).toBeGreaterThanOrEqual(48);
});

test("a document is written and refined in rounds with what changed, in Japanese and shared as well", async ({
  chat,
  page,
  app,
  model,
  open,
}) => {
  model.script = [
    [say("Tea is a warm drink.")],
    [say("Say where it comes from.")],
    [say("Tea is a warm drink from China.")],
    [say("No major issues found.")],
    [callTools({ name: "exit_loop" })],
  ];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.message.pressSequentially("@doc");
  await expect(page.getByRole("option")).toHaveText([/@document/]);
  await page.keyboard.press("Tab");
  await chat.ask("A note about tea");
  await chat.finished();
  const answer = chat.lastTurn;
  await expect(answer.getByRole("heading", { name: "writer" })).toBeVisible();
  await expect(answer.getByText("refine ended in round 2: refiner left the loop.")).toBeVisible();
  await answer.getByText("Round 1", { exact: true }).click();
  await expect(answer.getByRole("group", { name: "refiner" }).getByText("from China.").first()).toBeVisible();
  // The outcome stands at the end, whatever is folded.
  await expect(answer.getByRole("group", { name: "result" }).getByText("from China.")).toBeVisible();
  expect(model.requests.at(-1)?.tools).toEqual(["exit_loop"]);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: /^(Share conversation|Link created)$/ });
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = await dialog.getByRole("textbox").inputValue();
  const stranger = await open(app, { stranger: true, locale: "ja-JP" });
  await stranger.page.goto(link);
  await expect(
    stranger.page.getByText("refine は 2 回目で終了しました（refiner がループを終えました）。"),
  ).toBeVisible();
});

test("each round shows what it changed in the draft, word by word", async ({ chat, model, page }) => {
  const drafts = ["a warm drink", "a warm drink from China", "a hot drink from China"].map(
    (what) => `Tea is ${what} that people all over the world like to share.`,
  );
  model.script = (request: WireRequest) => {
    const system = JSON.stringify(request.body.messages);
    if (system.includes("You are the initial writer")) return [say(drafts[0] ?? "")];
    if (system.includes("Document to review")) return [say(`Change it. ${Math.random()}`)];
    return [say(system.includes(drafts[1] ?? "") ? (drafts[2] ?? "") : (drafts[1] ?? ""))];
  };
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await expect(page.getByRole("button", { name: "Agent", exact: true })).toBeVisible();
  await chat.ask("@document Tea again");
  await chat.finished();
  await expect(chat.lastTurn.getByText("Ended at the limit of 5 rounds.")).toBeVisible();
  const second = chat.lastTurn.locator("details").filter({ hasText: /^Round 2/ });
  await second.getByText("Round 2", { exact: true }).click();
  await second.getByText("Changes since round 1").click();
  await expect(second.locator("del").getByText("warm")).toBeVisible();
  await expect(second.locator("ins").getByText("hot")).toBeVisible();
});

test("an approval in the third round survives kill -9, and the loop goes on at the right place", async ({
  startWithModel,
  open,
}) => {
  const dir = mkdtempSync(join(tmpdir(), "meguri-agents-"));
  writeFileSync(
    join(dir, "keeper.yaml"),
    `name: keeper
agent:
  type: loop
  name: rounds
  maxIterations: 5
  agents:
    - type: llm
      name: thinker
      outputKey: idea
      tools: none
      instruction: You are the THINKER. Last time {idea?}
    - type: llm
      name: writer
      exitLoop: true
      instruction: You are the WRITER of {idea}
`,
  );
  let ideas = 0;
  const script = (request: WireRequest) => {
    const system = JSON.stringify(request.body.messages);
    if (system.includes("You are the THINKER")) return [say(`idea ${++ideas}`)];
    if (/WRITER of idea [12]/.test(system)) return [say(`Not yet: ${ideas}.`)];
    const args = { path: "idea.txt", content: "idea 3" };
    return [callTools({ name: "filesystem__write_file", args }, { name: "exit_loop" })];
  };
  const { app } = await startWithModel(script, { env: { AGENTS_DIR: dir } });
  await serversReady(app);
  const chat = await open(app);
  await chat.goto("/");
  await chat.message.pressSequentially("@keep");
  await expect(chat.page.getByRole("option")).toHaveText([/@keeper/]);
  await chat.page.keyboard.press("Enter");
  await chat.ask("Keep an idea");
  await expect(chat.card).toBeVisible();
  await app.kill9();
  await app.restart();
  await chat.page.reload();
  await expect(chat.card).toBeVisible();
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await chat.finished();
  await expect(chat.lastTurn.getByText("rounds ended in round 3: writer left the loop.")).toBeVisible();
  expect(readFileSync(join(app.sandbox, "idea.txt"), "utf8")).toBe("idea 3");
  expect(ideas).toBe(3);
  const { items, errors } = await apiOf(app).get<{ items: unknown[]; errors: string[] }>("/api/agents");
  expect([items.length, errors]).toEqual([1, []]);
  rmSync(dir, { recursive: true });
});

test("a document that is killed in its third round is resumed there, and the rounds before are not asked for again", async ({
  startWithModel,
  open,
}) => {
  const asked: string[] = [];
  let died = false;
  const script = (request: WireRequest) => {
    const text = JSON.stringify(request.body.messages);
    if (text.includes("You are the initial writer")) {
      asked.push("writer");
      return [say("Draft 0.")];
    }
    const [, round = "0"] = /Draft (\d)\./.exec(text) ?? [];
    if (text.includes("Document to review")) {
      asked.push(`critic of ${round}`);
      return [say(round === "3" ? "No major issues found." : `Say more than ${round}.`)];
    }
    asked.push(`refiner of ${round}`);
    if (text.includes("No major issues found.\\n")) return [callTools({ name: "exit_loop" })];
    // In the third round it is in the middle of its sentence when the power goes.
    if (round === "2" && !died) return [say("Draft 3 is on its"), hang];
    return [say(`Draft ${Number(round) + 1}.`)];
  };
  const { app } = await startWithModel(script, { ...noServers, env: { DEFAULT_MODEL: "openai/test-model" } });
  await serversReady(app);
  const chat = await open(app);
  await chat.goto("/");
  await expect(chat.page.getByRole("button", { name: "Agent", exact: true })).toBeVisible();
  await chat.ask("@document A note in rounds");
  await expect(chat.lastTurn.getByText("Draft 3 is on its").first()).toBeVisible();
  await app.kill9();
  died = true;
  await app.restart();
  await chat.page.reload();
  await chat.lastTurn.getByRole("button", { name: "Resume" }).click();
  await chat.finished();
  await expect(chat.lastTurn.getByText("refine ended in round 4: refiner left the loop.")).toBeVisible();
  await expect(chat.lastTurn.getByRole("group", { name: "result" }).getByText("Draft 3.")).toBeVisible();
  expect(asked).toEqual([
    ...[
      "writer",
      "critic of 0",
      "refiner of 0",
      "critic of 1",
      "refiner of 1",
      "critic of 2",
      "refiner of 2",
    ],
    ...["refiner of 2", "critic of 3", "refiner of 3"],
  ]);
});
