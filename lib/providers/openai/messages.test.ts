import { expect, test } from "vitest";
import type { ChatMessage, FilePart, ToolCall } from "@/lib/protocol/message";
import { answer, tool, turn, user } from "@/lib/providers/testing/turn";
import { textOf } from "./body-piece";
import { OpenAiMessages } from "./messages";
import { OpenAiTools, writeRequest } from "./request";

const writer = (sendsToolImages = true) =>
  new OpenAiMessages({ key: "openai", sendsToolImages, carries: (type) => !type.includes("zip") });

const written = (history: ChatMessage[], messages = writer()): Record<string, unknown>[] =>
  JSON.parse(`[${textOf(messages.write("", history))}]`);

const call = (name: string, more: Partial<ToolCall> = {}): ToolCall => ({
  type: "tool_call",
  id: `call_${name}` as ToolCall["id"],
  name,
  args: {},
  ...more,
});

/** Arguments that count how often they are written. */
function countedArgs() {
  const count = { writings: 0 };
  const args = {
    toJSON() {
      count.writings++;
      return { n: 1 };
    },
  };
  return { args, count };
}

test("a message that was sent before is not written again", () => {
  const messages = writer();
  const { args, count } = countedArgs();
  const asked = call("a", { args });
  const history: ChatMessage[] = [
    user("Go"),
    { role: "assistant", parts: [asked] },
    { role: "tool", results: [answer(asked, "1")] },
  ];
  const first = written(history, messages);
  const { writings } = count;
  expect(writings).toBeGreaterThan(0);
  const second = written(
    [...history, { role: "assistant", parts: [{ type: "text", text: "Done." }] }, user("And?")],
    messages,
  );
  expect(count.writings).toBe(writings);
  expect(second.slice(0, 3)).toEqual(first);
  expect(second).toHaveLength(5);
});

test("a round that has got more results since is written again", () => {
  const messages = writer();
  const [one, two] = [call("one"), call("two")];
  const round = { role: "tool" as const, results: [answer(one, "1")] };
  expect(written([user("Go"), { role: "assistant", parts: [one] }, round], messages)).toHaveLength(3);
  round.results.push(answer(two, "2"));
  const both = written([user("Go"), { role: "assistant", parts: [one, two] }, round], messages);
  expect(both.slice(2)).toEqual([
    { role: "tool", tool_call_id: "call_one", content: "1" },
    { role: "tool", tool_call_id: "call_two", content: "2" },
  ]);
});

test("thoughts go back within their turn, and stay at home after the next question", () => {
  const messages = writer();
  const asked = call("a");
  const history: ChatMessage[] = [
    user("Go"),
    { role: "assistant", parts: [{ type: "reasoning", text: "Hm." }, { type: "text", text: "So." }, asked] },
    { role: "tool", results: [answer(asked, "1")] },
    { role: "assistant", parts: [{ type: "reasoning", text: "Only thought." }] },
  ];
  expect(written(history.slice(0, 3), messages)[1]).toMatchObject({
    reasoning_content: "Hm.",
    content: "So.",
  });
  const later = written([...history, user("And?")], messages);
  expect(JSON.stringify(later)).not.toContain("Hm.");
  // What was nothing but a thought is no message.
  expect(later.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
});

test("each kind of file goes in the form of the wire, or as a note", () => {
  const file = (mediaType: string, name?: string): FilePart => ({
    type: "file",
    mediaType,
    data: "AAAA",
    ...(name && { name }),
  });
  const parts = [
    file("image/png"),
    file("audio/wav"),
    file("audio/mpeg"),
    file("application/pdf"),
    file("application/pdf", "a.pdf"),
    file("application/zip", "a.zip"),
  ];
  expect(written([{ role: "user", parts }])).toEqual([
    {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
        { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
        { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,AAAA" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
        { type: "text", text: "[File a.zip, application/zip: this model cannot read it.]" },
      ],
    },
  ]);
  expect(written([{ role: "user", parts: [file("image/png")] }])[0]?.content).toHaveLength(1);
});

test("images of several results follow all of them, each with the name of its tool", () => {
  const [one, two] = [call("one"), call("two")];
  const image: FilePart = { type: "file", mediaType: "image/png", data: "AAAA" };
  const history: ChatMessage[] = [
    user("Go"),
    { role: "assistant", parts: [one, two] },
    { role: "tool", results: [answer(one, "", { content: [image] }), answer(two, "", { content: [image] })] },
  ];
  const seen = written(history);
  expect(seen.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user", "user"]);
  expect(seen[2]).toMatchObject({ content: "[image/png, attached]" });
  expect(JSON.stringify(seen[4])).toContain("[Images that one returned]");
  expect(JSON.stringify(seen[5])).toContain("[Images that two returned]");
  const blind = written(history, writer(false));
  expect(blind.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
  expect(JSON.stringify(blind)).not.toContain("AAAA");
});

test("a signature goes back to the provider that made it, and to no other", () => {
  const calls = [call("own", { signature: "openai:token" }), call("other", { signature: "google:token" })];
  const [, said] = written([user("Go"), { role: "assistant", parts: calls }]);
  const [own, other] = (said?.tool_calls ?? []) as object[];
  expect(own).toHaveProperty("extra_content", { google: { thought_signature: "token" } });
  expect(other).not.toHaveProperty("extra_content");
});

test("a list of tools is written once, and a new list reuses the tools it shares with the old one", () => {
  const tools = new OpenAiTools();
  const { args: inputSchema, count } = countedArgs();
  // What is converted is a copy of the schema, so what counts sits one level down.
  const counting = tool("a", { type: "object", properties: { deep: { default: inputSchema } } });
  const list = [counting, tool("b")];
  const first = tools.write(list);
  expect(tools.write(list)).toBe(first);
  const { writings } = count;
  expect(writings).toBe(1);
  tools.write([...list, tool("c")]);
  expect(count.writings).toBe(writings);
  list.push(tool("d"));
  expect(JSON.parse(`[${textOf([tools.write(list)])}]`)).toHaveLength(3);
});

test("what many requests have in common is written to the letter again, as long as it stays the same", () => {
  const messages = writer();
  const tools = new OpenAiTools();
  const long = (text: string) => user(`${text} 天気 🌸 `.repeat(4_000));
  const said: ChatMessage = { role: "assistant", parts: [{ type: "text", text: "Aha." }] };
  const list = Array.from({ length: 500 }, (_, index) => tool(`tool_${index}`));
  const ask = (system: string, history: ChatMessage[]) => {
    const asked = { ...turn(history), system, tools: list };
    const [kept, anew] = [
      writeRequest("m", asked, messages, tools, { outputLimit: "max_tokens" }),
      writeRequest("m", asked, writer(), new OpenAiTools(), { outputLimit: "max_tokens" }),
    ];
    expect(textOf(kept)).toBe(textOf(anew));
    return JSON.parse(textOf(kept)) as { messages: { content: string }[]; tools: unknown[] };
  };
  const before = [long("One"), said, long("Two"), said];
  expect(ask("Be kind.", [...before, user("Go")])).toMatchObject({ tools: { length: 500 } });
  expect(ask("Be kind.", [...before, user("Go"), said, user("And?")]).messages).toHaveLength(8);
  expect(ask("Be brief.", [...before, user("Go")]).messages[0]).toMatchObject({ content: "Be brief." });
  expect(ask("", [...before, user("Go")]).messages).toHaveLength(5);
  expect(ask("Be kind.", [...before.slice(1), user("Go")]).messages).toHaveLength(5);
});

test("what is asked of the model stands in the request", () => {
  const write = (more: object) =>
    JSON.parse(
      textOf(
        writeRequest("org/model", { ...turn([user("Go")]), ...more }, writer(), new OpenAiTools(), {
          outputLimit: "max_tokens",
        }),
      ),
    );
  const tools = [tool("a__x")];
  const bare = write({ toolChoice: "auto" });
  expect(Object.keys(bare).toSorted()).toEqual(["messages", "model", "stream", "stream_options"]);
  expect(write({ tools })).not.toHaveProperty("tool_choice");
  expect(write({ tools, toolChoice: "none" })).toMatchObject({ tool_choice: "none" });
  expect(write({ tools, toolChoice: { name: "a__x" } })).toMatchObject({
    tools: [{ type: "function", function: { name: "a__x", description: "Does a__x." } }],
    tool_choice: { type: "function", function: { name: "a__x" } },
  });
  const schema = { type: "object", properties: { a: { type: "string" } } };
  expect(write({ responseSchema: schema })).toMatchObject({
    response_format: { type: "json_schema", json_schema: { name: "response", strict: false, schema } },
  });
});
