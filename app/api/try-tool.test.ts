import { expect, test } from "vitest";
import { callApi, withApplication } from "./testing/call-api";

const memory = {
  command: "node",
  args: ["node_modules/@modelcontextprotocol/server-memory/dist/index.js"],
};
withApplication({ memory, down: { command: "no-such-command-here" }, off: { ...memory, disabled: true } });

test("a tool of a server that is down is no unknown tool", async () => {
  const tried = async (server: string, tool: string) => {
    const response = await callApi("POST", `/api/mcp/servers/${server}/tools/${tool}/call`, { args: {} });
    return [response.status, (await response.json()).error?.code];
  };
  expect(await tried("down", "read_graph")).toEqual([409, "server_not_ready"]);
  expect(await tried("off", "read_graph")).toEqual([409, "server_not_ready"]);
  expect(await tried("memory", "no_such_tool")).toEqual([404, "not_found"]);
  expect(await tried("nowhere", "read_graph")).toEqual([404, "not_found"]);
  expect(await tried("memory", "read_graph")).toEqual([200, undefined]);
});
