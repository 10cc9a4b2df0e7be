import { expect, type Locator, type Page } from "@playwright/test";
import type { App } from "./app";

/** A tab with Meguri in it, by what a person sees and by nothing else. English only. */
export class ChatPage {
  readonly message: Locator;
  readonly stop: Locator;
  readonly turns: Locator;
  readonly sidebar: Locator;

  constructor(
    readonly page: Page,
    readonly app: App,
  ) {
    this.message = page.getByRole("textbox", { name: "Message" });
    this.stop = page.getByRole("button", { name: "Stop", exact: true });
    this.turns = page.getByRole("article");
    this.sidebar = page.getByRole("navigation", { name: "Conversations" });
  }

  get lastTurn(): Locator {
    return this.turns.last();
  }

  /** The question that waits for a person. */
  get card(): Locator {
    return this.page.getByRole("group", { name: /^(Allow “|Did “)/ });
  }

  /** The same application in another tab of the same browser. */
  sibling(page: Page): ChatPage {
    return new ChatPage(page, this.app);
  }

  async goto(path: string): Promise<void> {
    await this.page.goto(this.app.baseUrl + path);
  }

  /** Writes and sends with Enter, on a blank page in a new conversation; the turn is on the page when it returns. */
  async ask(text: string): Promise<void> {
    await this.begin();
    const before = await this.turns.count();
    await this.message.fill(text);
    await this.message.press("Enter");
    await expect(this.turns).toHaveCount(before + 1);
  }

  /** Asks in a new conversation and waits for the whole answer; returns the conversation's path. */
  async askAnew(text: string): Promise<string> {
    await this.goto("/");
    await this.ask(text);
    await this.finished();
    return new URL(this.page.url()).pathname;
  }

  /** Has the demo call a tool, in a new conversation. */
  async callTool(name: string, args: unknown = {}): Promise<void> {
    await this.goto("/");
    await this.ask(`/tool ${name} ${JSON.stringify(args)}`);
  }

  /** Opens the application where nothing is open yet. */
  private async begin(): Promise<void> {
    if (this.page.url() === "about:blank") await this.goto("/");
  }

  /** Waits until nothing runs and the last answer can be worked with. */
  async finished(): Promise<void> {
    await expect(this.lastTurn.getByRole("button", { name: "Regenerate" })).toBeEnabled({
      timeout: 20_000,
    });
  }

  /** The line of a call, by server, tool and state: "filesystem list_directory, done". */
  toolLine(start: string, where: Locator = this.lastTurn): Locator {
    return where.getByRole("button", { name: new RegExp(`^${start.replaceAll(", ", " ?, ")}`) });
  }

  loop(number: number): Locator {
    return this.lastTurn.getByLabel(`loop ${number}`, { exact: true });
  }

  /** Everything that stands in the conversation, as a person would read it out. */
  thread(): Promise<string[]> {
    return this.turns.allInnerTexts();
  }

  async chooseModel(name: string): Promise<void> {
    await this.begin();
    await this.page.getByRole("button", { name: /^Model:/ }).click();
    await this.page.getByRole("menuitemcheckbox", { name: new RegExp(`^${name}`) }).click();
    await expect(this.page.getByRole("button", { name: `Model: ${name}` })).toBeVisible();
  }

  conversation(title: string | RegExp): Locator {
    return this.sidebar.getByRole("link", { name: title });
  }
}
