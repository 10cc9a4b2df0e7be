import { expect, test } from "vitest";
import { clientKinds, snippetFor } from "./clients";

const url = "https://meguri.acme.dev/mcp";

test("each program is told the address and how the token is sent, in the form that it reads", () => {
  for (const kind of clientKinds) {
    const snippet = snippetFor(kind, url);
    expect(snippet).toContain(url);
    expect(snippet).toContain("Bearer ");
    if (kind !== "claude") expect(() => JSON.parse(snippet)).not.toThrow();
  }
  expect(snippetFor("claude", url)).toBe(
    `claude mcp add --transport http meguri \\\n  ${url} \\\n  --header "Authorization: Bearer $MEGURI_TOKEN"`,
  );
  expect(JSON.parse(snippetFor("cursor", url)).mcpServers.meguri.headers).toEqual({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Cursor's way to name a variable
    Authorization: "Bearer ${env:MEGURI_TOKEN}",
  });
});
