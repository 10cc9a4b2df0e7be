import type { Account } from "@/lib/protocol/accounts";

/** A page of the settings has one line here: the name of its messages, whose title it is, and its address. */
export const settingsPages = [
  [
    "work",
    [
      ["models", "/settings/models"],
      ["instructions", "/settings/instructions"],
      ["servers", "/settings/mcp"],
      ["assistants", "/settings/assistants"],
      ["prompts", "/settings/prompts"],
      ["agents", "/settings/agents"],
      ["rules", "/settings/rules"],
      ["limits", "/settings/limits"],
      ["usage", "/settings/usage"],
    ],
  ],
  [
    "programs",
    [
      ["clients", "/settings/clients"],
      ["schedules", "/settings/schedules"],
      ["hooks", "/settings/hooks"],
    ],
  ],
  [
    "keep",
    [
      ["shares", "/settings/shares"],
      ["data", "/settings/data"],
      ["tokens", "/settings/tokens"],
    ],
  ],
  [
    "you",
    [
      ["account", "/settings/account"],
      ["look", "/settings/look"],
      ["notifications", "/settings/notifications"],
      ["about", "/settings/about"],
    ],
  ],
  [
    "house",
    [
      ["people", "/settings/people"],
      ["audit", "/settings/audit"],
    ],
  ],
] as const;

type Page = (typeof settingsPages)[number][1][number][0];

/** Whether there is such a page for who is signed in; null: there are no accounts. */
export function hasPage(page: Page, account: Account | null): boolean {
  if (page === "account") return account !== null;
  // There they are on the page of one's account.
  if (page === "tokens") return account === null;
  return (page !== "people" && page !== "audit") || account?.role === "admin";
}
