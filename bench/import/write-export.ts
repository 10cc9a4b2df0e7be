import { createWriteStream, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { chatGptConversation, node, words } from "@/lib/server/transfer/testing/chatgpt-export";

const docs = join(import.meta.dirname, "../../docs");
const prose = readdirSync(docs)
  .filter((name) => name.endsWith(".md"))
  .map((name) => readFileSync(join(docs, name), "utf8"))
  .join("\n");

let state = 1;
/** From 0 to below `below`, the same in every run of the benchmark. */
const random = (below: number): number => {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
};

const text = (length: number): string => {
  const at = random(prose.length - length);
  return prose.slice(at, at + length);
};

/** A few long conversations and many short ones: 2 to 60 turns, answers of 500 to 4,500 characters. */
function conversation(number: number) {
  const turns = random(20) === 0 ? 20 + random(40) : 1 + random(8);
  const nodes = [node("root", null, {})];
  for (let turn = 0; turn < turns; turn++) {
    const parent = nodes.at(-1)?.id ?? null;
    const [question, answer] = [`q${turn}`, `a${turn}`];
    nodes.push(
      node(question, parent, {
        role: "user",
        content: words(text(50 + random(400))),
        at: 1_756_000_000 + turn,
      }),
    );
    nodes.push(
      node(answer, question, {
        role: "assistant",
        content: words(text(500 + random(4_000))),
        metadata: {
          model_slug: "gpt-5",
          finish_details: { type: "stop" },
          request_id: text(30),
          is_complete: true,
        },
        at: 1_756_000_001 + turn,
      }),
    );
  }
  const id = `6b0f0d9c-0000-4000-8000-${String(number).padStart(12, "0")}`;
  return JSON.stringify(chatGptConversation(id, text(40), nodes));
}

/** Writes a `conversations.json` of about so many bytes; gives how many conversations it has. */
export async function writeExport(path: string, bytes: number): Promise<number> {
  let count = 0;
  function* pieces() {
    let written = 0;
    for (; written < bytes; count++) {
      const piece = `${count === 0 ? "[" : ","}${conversation(count)}`;
      written += piece.length;
      yield piece;
    }
    yield "]";
  }
  await pipeline(Readable.from(pieces()), createWriteStream(path));
  return count;
}
