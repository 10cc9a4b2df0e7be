import { expect, test } from "vitest";
import type { ChatMessage } from "@/lib/protocol/message";
import { tool, user } from "@/lib/providers/testing/turn";
import { PromptWriter } from "./prompt-writer";
import { ToolWriter } from "./tool-writer";

const writer = () => new PromptWriter({ key: "google", carries: () => true });

test("a message that was sent before is not converted again", () => {
  const prompts = writer();
  const history: ChatMessage[] = [
    user("One"),
    { role: "assistant", parts: [{ type: "text", text: "1" }] },
    user("Two"),
  ];
  const first = prompts.write({ system: "", history });
  const second = prompts.write({
    system: "",
    history: [...history, { role: "assistant", parts: [{ type: "text", text: "2" }] }, user("Three")],
  });
  expect(second).toHaveLength(5);
  // The last question has become an earlier one; what stood before it is the same object.
  expect(second[0]).toBe(first[0]);
});

test("a round that has got more results since is converted again", () => {
  const prompts = writer();
  const id = (name: string) => name as never;
  const round: ChatMessage = {
    role: "tool",
    results: [{ id: id("a"), status: "ok", content: [{ type: "text", text: "1" }] }],
  };
  const call = (name: string) => ({ type: "tool_call" as const, id: id(name), name, args: {} });
  const history: ChatMessage[] = [user("Go"), { role: "assistant", parts: [call("a")] }, round];
  expect(JSON.stringify(prompts.write({ system: "", history }))).toContain('"1"');
  round.results.push({ id: id("b"), status: "ok", content: [{ type: "text", text: "2" }] });
  history[1] = { role: "assistant", parts: [call("a"), call("b")] };
  expect(JSON.stringify(prompts.write({ system: "", history }))).toContain('"2"');
});

test("a thought that nothing followed is left out, and so is a turn of nothing else", () => {
  const thought = { type: "reasoning" as const, text: "Hm.", signature: "google:s" };
  const roles = (parts: (ChatMessage & { role: "assistant" })["parts"]) =>
    writer()
      .write({ system: "", history: [user("One"), { role: "assistant", parts }, user("Two")] })
      .map(({ role, content }) => (role === "assistant" ? content.map(({ type }) => type).join() : role));
  expect(roles([thought])).toEqual(["user", "user"]);
  expect(roles([thought, { type: "text", text: "1" }, thought])).toEqual(["user", "reasoning,text", "user"]);
});

test("a list of tools is converted once, and a new list reuses the tools it shares with the old one", () => {
  let conversions = 0;
  const writer = new ToolWriter((schema) => {
    conversions++;
    return schema;
  });
  const tools = [tool("a"), tool("b")];
  expect(writer.write(tools)).toBe(writer.write(tools));
  writer.write([...tools, tool("c")]);
  expect(conversions).toBe(3);
});
