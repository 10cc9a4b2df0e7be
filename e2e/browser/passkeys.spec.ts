import { expectAccessible } from "../support/check-page";
import { expect, test } from "../support/test";

test("a passkey is added, signs in by the name of the host, and opens nothing once it is removed", async ({
  start,
  open,
}) => {
  const app = await start({ env: { AUTH: "accounts" }, mcpConfig: { mcpServers: {} } });
  const local = app.baseUrl.replace("127.0.0.1", "localhost");
  const { page } = await open(app, { stranger: true, visits: [local] });
  await page.goto(app.url.replace("127.0.0.1", "localhost"));
  await page.getByLabel("Your name").fill("Aiko Mori");
  await page.getByLabel("Email").fill("aiko@example.com");
  await page.getByLabel("Password").fill("a long enough password");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("textbox", { name: /message/i })).toBeVisible();

  const devices = await page.context().newCDPSession(page);
  await devices.send("WebAuthn.enable");
  const options = {
    ...({
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
    } as const),
    ...{ isUserVerified: true, automaticPresenceSimulation: true },
  };
  const { authenticatorId } = await devices.send("WebAuthn.addVirtualAuthenticator", { options });

  await page.goto(`${local}/settings/account`);
  const section = page.getByRole("region", { name: "Passkeys" });
  await expect(section.getByText("No passkeys yet.")).toBeVisible();
  const add = section.getByRole("button", { name: "Add a passkey" });
  await add.press("Enter");
  await expect(page.getByRole("dialog").getByLabel("Name")).toHaveValue(/^Chrome on /);
  await expectAccessible(page);
  await page.getByRole("dialog").getByLabel("Name").fill("My laptop");
  await page.getByRole("dialog").getByLabel("Name").press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(section.getByText("My laptop")).toBeVisible();
  await expect(section.getByText("not used yet")).toBeVisible();
  await expect(add).toBeFocused();
  await expectAccessible(page);

  // The same device again, which knows that it has one.
  await add.click();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("This device has a passkey for your account already.")).toBeVisible();

  // Longer ago than an hour the sign-in would not do.
  const tooOld = { error: { code: "sign_in_again", message: "Sign in again first." } };
  await page.route("**/api/passkeys/options", (route) => route.fulfill({ status: 403, json: tooOld }));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Sign in again" }).press("Enter");
  const byPasskey = page.getByRole("button", { name: "Sign in with a passkey" });
  await expect(byPasskey).toBeVisible();
  await expectAccessible(page);
  // Its owner does not confirm.
  await devices.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await byPasskey.press("Enter");
  await expect(page.getByText("No passkey was used: it was cancelled, or took too long.")).toBeVisible();
  await expect(byPasskey).toBeFocused();
  await devices.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
  await byPasskey.press("Enter");
  await expect(section.getByText("My laptop")).toBeVisible();
  await expect(section.getByText("not used yet")).toHaveCount(0);

  await section.getByRole("button", { name: "Remove the passkey My laptop" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).press("Enter");
  await expect(section.getByText("No passkeys yet.")).toBeVisible();
  await expect(add).toBeFocused();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await byPasskey.click();
  await expect(page.getByText(/^This passkey does not sign anybody in here/)).toBeVisible();

  // The same application by an address.
  await page.goto(`${app.baseUrl}/sign-in`);
  await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeVisible();
  await expect(byPasskey).toHaveCount(0);
  await page.getByLabel("Email").fill("aiko@example.com");
  await page.getByLabel("Password").fill("a long enough password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("textbox", { name: /message/i })).toBeVisible();
  await page.goto(`${app.baseUrl}/settings/account`);
  await expect(section.getByText("Passkeys need a name, not an address.")).toBeVisible();
  await expect(section.getByRole("link", { name: local })).toBeVisible();
  await expect(section.getByRole("button")).toHaveCount(0);
});
