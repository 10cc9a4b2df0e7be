import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { describe, expect, it } from "vitest";
import { messages } from "@/app/messages";
import { ReadOnlyThread } from "@/components/chat/read-only-thread";
import type { StoredMessage } from "@/lib/protocol/http";
import { redactedMark } from "@/lib/protocol/redacted-text";
import { growth } from "@/lib/protocol/testing/growth";
import MarkdownText from "./markdown-text";

/** Each takes quadratic time or worse in a parser of Markdown, or overflows its stack. */
const families: Record<string, (n: number) => string> = {
  emphasis: (n) => "_*a".repeat(n),
  "emphasis with spaces": (n) => "_*a ".repeat(n),
  "long runs of stars": (n) => `${"*".repeat(n)}a${"*".repeat(n)}`,
  strikethrough: (n) => "a~~b~c".repeat(n),
  "open brackets": (n) => `${"[".repeat(n)}]`,
  "links in links": (n) => `${"[".repeat(n)}a${"](b)".repeat(n)}`,
  "open links": (n) => "[a](".repeat(n),
  "open titles": (n) => `${"[a](b (".repeat(n / 10)}${"a ".repeat(5 * n)}`,
  "definitions in a line": (n) => "[a]: ".repeat(n),
  "a long definition used often": (n) => `[a]: b${"c".repeat(4 * n)}\n\n${"[a]\n\n".repeat(n)}`,
  footnotes: (n) => "[^a]".repeat(n),
  quotes: (n) => `${">".repeat(n)}a`,
  lists: (n) => `${"- ".repeat(n)}a`,
  "numbered lists": (n) => `${"1. ".repeat(n)}a`,
  "quotes in lists": (n) => `${"> - ".repeat(n)}a`,
  "indented lists": (n) =>
    Array.from({ length: n / 10 }, (_, depth) => `${"  ".repeat(depth)}- a\n`).join(""),
  "a wide table": (n) => `${"|a".repeat(n)}\n${"|-".repeat(n)}\n${"|\n".repeat(n)}`,
  "a wide table without edges": (n) => `${"a|".repeat(n)}a\n${"-|".repeat(n)}-\n${"a\n".repeat(n)}`,
  backticks: (n) => Array.from({ length: Math.sqrt(24 * n) }, (_, at) => "`".repeat(at + 1)).join("a"),
  comments: (n) => "a <!-- ".repeat(n),
  instructions: (n) => "a<?".repeat(n),
  "character data": (n) => "a<![CDATA[".repeat(n),
  declarations: (n) => "a<!A".repeat(n),
  "comments in a long text": (n) => `a ${"<!-- ".repeat(n / 10)}${"a ".repeat(5 * n)}`,
  "underlined headings in a quote": (n) => "> a\n> =\n".repeat(n),
  "a table that is none": (n) => `| a \\| b |\n|-|-|-|\n${"|_*a|_*a|_*a\n".repeat(n / 3)}`,
  "a table that ends": (n) => `| a |\n|-|\n> b\n${"|_*a|_*a|_*a\n".repeat(n / 3)}`,
  "a fence that another does not close": (n) => `[b]: c\n\n\`\`\`\`\n\`\`\`\n\n\`\`\`\`\n${"_*a".repeat(n)}`,
  "a fence in a comment": (n) => `<!--\n\n\`\`\`\n-->\n\n${"_*a".repeat(n)}`,
};

describe("Markdown that is made to be slow", () => {
  it.each(Object.entries(families))(
    "takes no more than its share for four times as much of %s",
    (_, text) => {
      expect(growth(2_500, (size) => draw(text(size)))).toBeLessThan(8);
    },
  );

  it("is shown whole, as plain text, and what stands around it as Markdown", () => {
    const bad = families.emphasis?.(5_000) ?? "";
    const html = draw(`**Before**\n\n${bad}\n\n**After**`);
    expect(html).toContain("<strong>Before</strong>");
    expect(html).toContain(bad);
    expect(html).toContain("<strong>After</strong>");
  });
});

describe("long honest answers stay Markdown", () => {
  const row = "| **name** | `code` | [link](https://example.com) | 1 |\n";
  it.each([
    ["a table of 300 rows", `| a | b | c | d |\n|---|---|---|---|\n${row.repeat(300)}`, "<table"],
    ["a list of 300 items", "- **one** with `code` and _words_\n".repeat(300), "<strong>"],
    ["2,000 lines of code", `\`\`\`ts\n${"const a = [b * c, d_e[0]];\n".repeat(2_000)}\`\`\``, "<pre"],
    ["a paragraph of 20,000 characters", `${"Words with *some* weight. ".repeat(800)}`, "<em>"],
    [
      "eight levels of lists",
      Array.from({ length: 8 }, (_, at) => `${"  ".repeat(at)}- a`).join("\n"),
      "<ul",
    ],
  ])("%s", (_, text, mark) => expect(draw(text)).toContain(mark));
});

it("a page spends a bounded amount on Markdown, and shows all the rest as plain text", () => {
  const html = wrap(
    <ReadOnlyThread
      messages={Array.from({ length: 30 }, (_, at) =>
        exchange(`${"- **a** b\n".repeat(400)}\nend ${at}`),
      ).flat()}
      runs={[]}
    />,
  );
  expect(html.indexOf("<strong>a</strong>")).toBeGreaterThan(0);
  expect(html.split("<strong>").length).toBeLessThan(20 * 400);
  expect(html).toContain("- **a** b\n");
  expect(html).toContain("end 29");
});

const draw = (text: string) => wrap(<MarkdownText text={text} growing={false} />);
const wrap = (page: React.ReactNode) =>
  renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      {page}
    </IntlProvider>,
  );

let made = 0;
/** A question with its answer, as one thread has them. */
const exchange = (text: string): StoredMessage[] => {
  const [question, id] = [`q${made}`, `a${made++}`];
  const stored = { parentId: null, runId: null, model: null, createdAt: new Date(0).toISOString() };
  return [
    {
      ...stored,
      id: question,
      siblings: [question],
      role: "user",
      parts: [{ type: "text", text: "Say it" }],
    },
    { ...stored, id, siblings: [id], role: "assistant", parts: [{ type: "text", text }] },
  ];
};

it("draws what was redacted as blocks with a name, in words, in code and in a link", () => {
  const mark = redactedMark("API key", "sk-12345678");
  const html = draw(
    `Use **${mark}** or \`${mark}\`:\n\n\`\`\`js\nconst key = "${mark}";\n\`\`\`\n\n- [${mark}](https://example.com)`,
  );
  expect(html.match(/<span role="img" aria-label="redacted: API key" [^>]*style="width:80px"/g)).toHaveLength(
    4,
  );
  expect(html).not.toContain("█");
  // Of other brackets Markdown would make the label of a link.
  const listed = draw(`- ${mark}: healthy\n\nOnly ${mark} is up.`);
  expect(listed.match(/role="img"/g)).toHaveLength(2);
  expect(listed).toContain(": healthy");
  expect(draw("Done: ████░ 80 %")).toContain("████░ 80 %");
});
