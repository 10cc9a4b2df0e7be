import { describe, expect, it } from "vitest";
import { translator } from "./sentences";

const say = translator({
  "It is gone.": "なくなりました。",
  "There is no server called {name}.": "{name} というサーバーはありません。",
  "{who} did not answer in {count} seconds.": "{count} 秒たっても {who} から応答がありません。",
  "{?why} Trying again.": "{why}もう一度試します。",
  "{path}: {!problem}.": "{path}: {problem}。",
  "must be a port number": "ポート番号にしてください",
  "must be {what}": "{what} にしてください",
});

describe("translator", () => {
  it("puts a sentence into the other language, with its words in their place", () => {
    expect(say("It is gone.")).toBe("なくなりました。");
    expect(say("There is no server called a.b {name}.")).toBe("a.b {name} というサーバーはありません。");
    expect(say("api.example did not answer in 5 seconds.")).toBe(
      "5 秒たっても api.example から応答がありません。",
    );
  });

  it("leaves what it does not know", () => {
    for (const text of ["", "It is gone", "It is gone. Really.", "There is no server called .", "これ"])
      expect(say(text)).toBe(text);
  });

  it("puts sentences inside of sentences into the other language where they are known", () => {
    expect(say("It is gone. Trying again.")).toBe("なくなりました。もう一度試します。");
    expect(say("ECONNRESET Trying again.")).toBe("ECONNRESETもう一度試します。");
  });

  it("writes its own Japanese words without a space beside Japanese, and those of others with one", () => {
    const check = translator({
      "Check {?what} and {?other}.": "{what} を見て、次に {other} を確認してください。",
      "the address": "アドレス",
      "a port": "PORT の値",
    });
    expect(check("Check the address and a port.")).toBe("アドレスを見て、次に PORT の値を確認してください。");
    expect(check("Check PORT and アドレス.")).toBe("PORT を見て、次に アドレス を確認してください。");
  });

  it("takes a sentence that only consists of others for one where they are known", () => {
    expect(say("PORT: must be a port number.")).toBe("PORT: ポート番号にしてください。");
    expect(say("Note: this is something else.")).toBe("Note: this is something else.");
  });

  it("prefers the sentence that says most", () => {
    expect(say("must be a port number")).toBe("ポート番号にしてください");
    expect(say("must be a hat")).toBe("a hat にしてください");
  });

  it("leaves a text alone that is too long or goes round", () => {
    const long = `There is no server called ${"x".repeat(5_000)}.`;
    expect(say(long)).toBe(long);
    const round = translator({ "a {?rest}": "あ {rest}" });
    expect(round("a a a a a a a b")).toContain("ああああ");
  });

  it("gives up where everything fits everything", () => {
    const words = Array.from({ length: 200 }, (_, index) => ` w${index} `);
    // Each leaves a beginning to which every one before it fits: millions of ways, none of which leads anywhere.
    const many = translator(
      Object.fromEntries(words.map((word) => [`{!before}${word}{after}`, "{before}{after}"])),
    );
    const text = `nothing${words.join("")}at all`;
    expect(many(text)).toBe(text);
  });
});
