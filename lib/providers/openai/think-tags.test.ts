import { afterEach, expect, test } from "vitest";
import { delta, ending, type PlainServer, startPlainServer } from "@/lib/providers/testing/plain-server";
import { collect, kinds, textOf, turn, user } from "@/lib/providers/testing/turn";
import { ThinkTags } from "./think-tags";

let server: PlainServer | undefined;
afterEach(() => server?.close());

/** What comes of a text in pieces of this size. */
function read(text: string, size: number): { said: string; thought: string } {
  const out = { said: "", thought: "" };
  const tags = new ThinkTags(
    (piece) => {
      out.said += piece;
    },
    (piece) => {
      out.thought += piece;
    },
  );
  for (let at = 0; at < text.length; at += size) tags.feed(text.slice(at, at + size));
  tags.end();
  return out;
}

const fenced = "Write it so:\n\n```xml\n<think>\nnot a thought\n</think>\n```\n\nDone.";
const tildes = "~~~~\n```\n<think>\n~~~\n<think>\n~~~~\nDone.";

const cases: [what: string, text: string, said: string, thought: string][] = [
  ["thoughts before the answer", "<think>\nHm.\nYes.\n</think>\n\nHello.", "Hello.", "Hm.\nYes."],
  ["no thoughts, as of a model that is told not to", "<think>\n\n</think>\n\nHello.", "Hello.", ""],
  ["thoughts that nothing closes", "<think>\nHm, and then", "", "Hm, and then"],
  ["thoughts that end with half a tag", "<think>a </thi", "", "a </thi"],
  ["an answer that ends with half a tag", "Hello\n<thi", "Hello\n<thi", ""],
  ["thoughts between two parts", "One.\n<think>Hm.</think>\nTwo.", "One.\nTwo.", "Hm."],
  ["thoughts twice", "<think>a</think><think>b</think>c", "c", "ab"],
  ["a smaller sign in thoughts", "<think>a < b </b> c</think>d", "d", "a < b </b> c"],
  ["a tag inside a line", "The tag `<think>` is one.", "The tag `<think>` is one.", ""],
  ["another tag", "<thinking>a</thinking>", "<thinking>a</thinking>", ""],
  ["a tag in fenced code", fenced, fenced, ""],
  ["a tag in a fence of tildes that holds another", tildes, tildes, ""],
  ["a tag in indented code", "So:\n\n    <think>\n", "So:\n\n    <think>\n", ""],
  ["a tag behind fenced code", "```\na\n```\n<think>b</think>c", "```\na\n```\nc", "b"],
  ["a text without any", "# Hello\n\n- one\n- two\n", "# Hello\n\n- one\n- two\n", ""],
  ["line ends of Windows", "<think>\r\na\r\n</think>\r\n\r\nb\r\n", "b\r\n", "a"],
];

test.each(cases)("%s is told apart, in pieces of any size", (_what, text, said, thought) => {
  for (let size = 1; size <= text.length; size++) {
    const out = read(text, size);
    expect({ said: out.said, thought: out.thought.trimEnd() }, `pieces of ${size}`).toEqual({
      said,
      thought,
    });
  }
});

test("what cannot become a tag is not held back", () => {
  const said: string[] = [];
  const tags = new ThinkTags(
    (piece) => said.push(piece),
    () => {},
  );
  for (const piece of ["<", "th", "e", " end", "\n", "x"]) tags.feed(piece);
  expect(said).toEqual(["<the", " end", "\n", "x"]);
});

test("over the wire thoughts in plain text are reasoning, also in an answer that comes whole", async () => {
  const pieces = ["<thi", "nk>\nHm", ".\n</th", "ink>\n\nHel", "lo."].map((content) => delta({ content }));
  server = await startPlainServer({ body: pieces.join("") + ending("stop") });
  const streamed = await collect(server.provider, turn([user("Hi")]));
  expect(kinds(streamed.chunks)).toBe("reasoning text usage");
  expect(textOf(streamed.chunks)).toBe("Hello.");
  await server.close();
  const message = { role: "assistant", content: "<think>Hm.</think>Hello." };
  server = await startPlainServer({
    body: JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }),
  });
  const whole = await collect(server.provider, turn([user("Hi")]));
  expect(whole.chunks.slice(0, 2)).toEqual([
    { type: "reasoning", content: "Hm." },
    { type: "text", content: "Hello." },
  ]);
});

test("a call behind thoughts that nothing closed is a call", async () => {
  const call = { index: 0, id: "c", type: "function", function: { name: "a__one", arguments: "{}" } };
  const body = delta({ content: "<think>Hm" }) + delta({ tool_calls: [call] }) + ending("tool_calls");
  server = await startPlainServer({ body });
  const { chunks } = await collect(server.provider, turn([user("Hi")]));
  expect(kinds(chunks)).toBe("reasoning tool_call usage");
});
