import { expectAccessible } from "../support/check-page";
import { expect, test } from "../support/test";

const password = "a long enough password";

test("the first person sets Meguri up and invites another, who joins, and is signed out when switched off", async ({
  start,
  open,
}) => {
  const app = await start({ env: { AUTH: "accounts" }, mcpConfig: { mcpServers: {} } });
  const first = await open(app, { stranger: true });
  const admin = first.page;
  await admin.goto(app.url);
  await expect(admin.getByRole("heading", { name: "Set up Meguri" })).toBeVisible();
  await expectAccessible(admin);
  await admin.getByLabel("Your name").fill("Aiko Mori");
  await admin.getByLabel("Email").fill("aiko@example.com");
  await admin.getByLabel("Password").fill("too short");
  await admin.getByLabel("Password").press("Enter");
  await expect(admin.getByText("Must have at least 12 characters.")).toBeVisible();
  await expect(admin.getByLabel("Password")).toBeFocused();
  await admin.getByLabel("Password").fill(password);
  await admin.getByRole("button", { name: "Create account" }).click();
  await expect(admin.getByRole("textbox", { name: /message/i })).toBeVisible();

  await admin.goto(`${app.baseUrl}/settings/people`);
  await admin.getByRole("button", { name: "Invite" }).click();
  await admin.getByRole("button", { name: "Create link" }).click();
  const link = await admin.getByLabel("Link", { exact: true }).inputValue();
  await admin.getByRole("button", { name: "Done" }).click();

  const second = await open(app, { stranger: true });
  const member = second.page;
  await member.goto(link);
  await expect(member.getByText(/^Invited by Aiko Mori as a member/)).toBeVisible();
  await member.getByLabel("Your name").fill("Ken Sato");
  await member.getByLabel("Email").fill("ken@example.com");
  await member.getByLabel("Password").fill(password);
  await member.getByRole("button", { name: "Join" }).click();
  await expect(member.getByRole("textbox", { name: /message/i })).toBeVisible();
  await member.goto(`${app.baseUrl}/settings/account`);
  await expect(member.getByRole("link", { name: "People" })).toHaveCount(0);

  await admin.reload();
  await expectAccessible(admin);
  await admin.getByRole("button", { name: "no limit: change the limits of Ken Sato" }).click();
  await expect(admin.getByLabel("Answers at once")).toBeFocused();
  await admin.getByLabel("Tokens a day").fill("many");
  await admin.keyboard.press("Enter");
  await expect(admin.getByText("0 to 1,000,000,000,000")).toBeVisible();
  await expectAccessible(admin);
  await admin.getByLabel("Tokens a day").fill("1,000");
  await admin.keyboard.press("Enter");
  await expect(admin.getByRole("button", { name: "1K tokens: change the limits of Ken Sato" })).toBeFocused();
  await member.goto(`${app.baseUrl}/settings/usage`);
  await expect(member.getByText("0 tokens of 1K tokens")).toBeVisible();
  await expectAccessible(member);

  await admin.getByRole("button", { name: "More for Ken Sato" }).click();
  await admin.getByRole("menuitem", { name: "Switch off" }).click();
  await expect(admin.getByText("switched off", { exact: true })).toBeVisible();
  await member.goto(`${app.baseUrl}/settings/account`);
  await expect(member.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await member.getByLabel("Email").fill("ken@example.com");
  await member.getByLabel("Password").fill(password);
  await member.getByRole("button", { name: "Sign in" }).click();
  await expect(member.getByText("This account is switched off; ask an admin.")).toBeVisible();
});
