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
    ],
  ],
  [
    "keep",
    [
      ["shares", "/settings/shares"],
      ["data", "/settings/data"],
    ],
  ],
  [
    "you",
    [
      ["look", "/settings/look"],
      ["notifications", "/settings/notifications"],
      ["about", "/settings/about"],
    ],
  ],
] as const;
