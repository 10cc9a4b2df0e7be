import { expect, test } from "vitest";
import { callApi, withApplication } from "./testing/call-api";

withApplication({ plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } });

test("a sign-in comes back to no conversation but one's own", async () => {
  const begin = async (body: object) => {
    const response = await callApi("POST", "/api/mcp/servers/plain/login", body);
    return [response.status, (await response.json()).error.message];
  };
  for (const conversationId of ["01890a5d-ac96-774b-bcce-b302099a8057", "//evil.example"])
    expect(await begin({ conversationId })).toEqual([404, "There is no such conversation."]);
  expect(await begin({ conversationId: 7 })).toEqual([400, expect.stringContaining("conversationId")]);
  const { id } = await (await callApi("POST", "/api/conversations", {})).json();
  const refused = await begin({});
  expect(refused[1]).toContain("takes no sign-in");
  expect(await begin({ conversationId: id })).toEqual(refused);
});
