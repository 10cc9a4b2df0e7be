import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { conversation, message } from "@/lib/store/testing/rows";
import { openTempStore } from "@/lib/store/testing/temp-store";
import { align } from "./align";
import { gramsOf, normalize } from "./grams";
import { parseQuery, toMatch } from "./search-query";
import { toFts5 } from "./select-places";
import { snippetOf } from "./snippet";

/** Words, kana with marks in both widths, ligatures, pictures of several code points, signs, and halves of pairs. */
const characters = fc.constantFrom(
  ...["a", "B", "é", "e\u0301", "ﬁ", "ß", "İ", "Σ", "9", "_", " ", "\n", "-", '"', "*", "天", "気", "花"],
  ...[
    "が",
    "か\u3099",
    "ｶﾞ",
    "ﾊﾟ",
    "ー",
    "々",
    "한",
    "\u1112\u1161\u11ab",
    "ไ",
    "ท",
    "ย",
    "ﷺ",
    "𠮷",
    "👩‍👩‍👧",
    "👍🏽",
    "🇯🇵",
  ],
  ...["\ud800", "\u0301", "\u200d", "。", "①", "Ⅳ"],
);
const texts = fc.array(characters, { maxLength: 60 }).map((parts) => parts.join(""));

test("a text is normalized the same in pieces and as a whole", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { normalized, begin, end } = align(text);
      expect(normalized).toBe(normalize(text));
      for (let at = 0; at < normalized.length; at++) {
        expect(begin(at)).toBeLessThan(end(at + 1));
        expect(begin(at)).toBeLessThanOrEqual(begin(at + 1));
      }
    }),
    { numRuns: 1_000 },
  );
});

const marks = fc.constantFrom("**", "`", "#", "\n## ");
/** Half of them with marks of Markdown. */
const written = fc.oneof(
  texts,
  fc
    .array(fc.oneof({ weight: 9, arbitrary: characters }, marks), { maxLength: 60 })
    .map((parts) => parts.join("")),
);

const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const placesOf = (text: string) => new Set([...segments.segment(text)].map(({ index }) => index));

test("a snippet reads as text: the marks of headings, bold and code are left out, names keep what they are written with", () => {
  const parts = snippetOf("# Plan\nThe **old** `bridge` of __init__ is #1", parseQuery("bridge"));
  expect(parts).toEqual([
    { text: "Plan The old ", hit: false },
    { text: "bridge", hit: true },
    { text: " of __init__ is #1", hit: false },
  ]);
});

/** Whether the text has this piece somewhere, beginning and ending between characters. */
function standsWhole(piece: string, text: string): boolean {
  const places = placesOf(text).add(text.length);
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1))
    if (places.has(at) && places.has(at + piece.length)) return true;
  return false;
}

/** Without marks and spaces, of which a snippet may have fewer than its text. */
const plain = (text: string) => text.replace(/[*`#\s]+/g, "");

test("what stands behind a hit begins no line: it keeps the signs that would be a heading there", () => {
  expect(snippetOf("C# is old, C ## is not", parseQuery("c"))).toEqual([
    { text: "C", hit: true },
    { text: "# is old, ", hit: false },
    { text: "C", hit: true },
    { text: " ## is not", hit: false },
  ]);
});

test("a snippet is a piece of the text that begins and ends between characters, and its hits too", () => {
  fc.assert(
    fc.property(
      written,
      fc.integer({ min: 1, max: 8 }),
      fc.oneof(characters, texts),
      (text, times, looked) => {
        const long = `${text.repeat(times)} ${looked}`;
        const parts = snippetOf(long, parseQuery(looked));
        const said = parts.map((part) => part.text).join("");
        expect(said.length).toBeLessThanOrEqual(162);
        const bare = said.replace(/^…|…$/g, "");
        expect(bare).not.toMatch(/\s\s/);
        expect(plain(long)).toContain(plain(bare));
        // What joins to the character before it may do so only where it is repeated, or where a mark between them is left out.
        if (/^(?:\ud800|\u0301|\u200d)/.test(text) || /\*\*|`|#/.test(long)) return;
        expect(standsWhole(bare, long.replace(/\s+/g, " "))).toBe(true);
        const places = placesOf(bare);
        let at = said.startsWith("…") ? -1 : 0;
        for (const part of parts) {
          if (at > 0 && at < bare.length) expect(places).toContain(at);
          at += part.text.length;
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

test("every piece of a text finds it, with a hit to show, and nothing that it lacks does", async () => {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  let last: string | null = null;
  let count = 0;
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(60), fc.nat(60), async (text, from, length) => {
      const id = `m${count++}`;
      const row = message(id, last, { message: { role: "user", parts: [{ type: "text", text }] } });
      await store.messages.append("c1", [row]);
      last = id;
      const grams = gramsOf(text).grams.split(" ").filter(Boolean);
      const [first] = parseQuery(grams[from % Math.max(grams.length, 1)] ?? "").words;
      if (!first) return;
      const query = first.map((run) => run.text).join("");
      const { items } = await store.search.messages("ann", query, { limit: 1 });
      // A single Latin letter is a word, or nothing.
      expect(items[0]?.messageId).toBe(id);
      expect(items[0]?.snippet.some(({ hit }) => hit)).toBe(true);
      const absent = await store.search.messages("ann", `${query} zebra${length}`, { limit: 1 });
      expect(absent.items).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test("nothing that is typed is more than words in quotes, each as this person has written it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (typed) => {
      const match = toFts5(toMatch(parseQuery(typed), "ann", ["r:user"]));
      expect(match).toMatch(
        /^grams : "49915e0d:r:user"(?: AND (?:grams|heads) : "49915e0d:[\p{L}\p{N}\p{M}]+(?: 49915e0d:[\p{L}\p{N}\p{M}]+)*"(?: \*)?)*$/u,
      );
    }),
    { numRuns: 1_000 },
  );
});

test("looking through a long text takes a time that grows with its length alone", () => {
  const words = "ab ".repeat(20_000) + "長い".repeat(2_000);
  const parts = snippetOf(words, parseQuery("ab-ab-ab-ab-ab-ab-ab-zz 長い長い長い長い長x b"));
  expect(parts.some(({ hit }) => hit)).toBe(false);
});

test("the words of the page are those of the index: nothing is cut but at spaces", () => {
  expect(gramsOf("Don't stop: naïve_snake camelCase 東京タワー2 か\u0301")).toEqual({
    grams: "don t stop naïve snake camelcase 東京 京タ タワ ワー ー 2 か",
    heads:
      "do don st sto stop na naï naïv naïve sn sna snak snake ca cam came camel camelc 東 京 タ ワ ー か",
  });
  expect(readFileSync("lib/store/migrations/create-search.ts", "utf8")).toContain("'L* N* M* P* S* Co'");
});
