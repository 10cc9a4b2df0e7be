import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sentences } from "@/app/messages/ja/sentences";
import agent from "@/app/messages/ja/sentences/agent.json";
import client from "@/app/messages/ja/sentences/client.json";
import library from "@/app/messages/ja/sentences/library.json";
import mcp from "@/app/messages/ja/sentences/mcp.json";
import protocol from "@/app/messages/ja/sentences/protocol.json";
import providers from "@/app/messages/ja/sentences/providers.json";
import server from "@/app/messages/ja/sentences/server.json";
import store from "@/app/messages/ja/sentences/store.json";
import { translator } from "@/lib/client/text/sentences";
import notShown from "./not-shown.json";
import { spokenIn } from "./spoken";

const rooms = { agent, client, mcp, protocol, providers, server, store };
const bare = (template: string) => template.replace(/\{[?!]?\w+\}/g, "{}");
const holes = (template: string) => [...template.matchAll(/\{[?!]?(\w+)\}/g)].map(([, name]) => name).sort();

describe("the server's sentences in Japanese", () => {
  it.each(Object.entries(rooms))("are all there for lib/%s, and no other", (room, catalogue) => {
    const files = notShown.files as Record<string, string>;
    const found = spokenIn(room);
    expect(found.length).toBeGreaterThan(5);
    const spoken = found.filter(({ file }) => !(file in files));
    const all = new Set(spoken.map(({ sentence }) => sentence));
    const here = new Set(Object.keys(catalogue).map(bare));
    const hidden = new Set<string>(notShown.sentences);
    const missing = spoken.filter(({ sentence }) => !here.has(sentence) && !hidden.has(sentence));
    expect(missing.map(({ file, sentence }) => `${file}: ${sentence}`)).toEqual([]);
    expect([...here].filter((sentence) => !all.has(sentence))).toEqual([]);
  });

  it("leave nothing out that is not there", () => {
    const all = new Set(
      Object.keys(rooms)
        .flatMap(spokenIn)
        .flatMap(({ file, sentence }) => [file, sentence]),
    );
    const named = [...Object.keys(notShown.files), ...notShown.sentences];
    expect(named.filter((name) => !all.has(name))).toEqual([]);
  });

  it("know what zod says", () => {
    const source = readFileSync("node_modules/zod/v4/locales/en.js", "utf8");
    const pieces = Object.keys(library).flatMap((template) => bare(template).split("{}"));
    expect(pieces.length).toBeGreaterThan(5);
    // What it puts into its holes, besides.
    const kinds = ["object", "boolean", "undefined"];
    expect(pieces.filter((piece) => !source.includes(piece.trim()) && !kinds.includes(piece))).toEqual([]);
  });

  it("have the same holes, and are found again with words in them", () => {
    const say = translator(sentences);
    for (const [english, japanese] of Object.entries(sentences)) {
      expect(holes(japanese), english).toEqual(holes(english));
      const fill = (template: string) => template.replace(/\{[?!]?(\w+)\}/g, "‹$1›");
      if (!english.includes("{!")) expect(say(fill(english)), english).toBe(fill(japanese));
    }
  });

  it.each([
    ["baseURL: Invalid URL", "baseURL: アドレスとして正しくありません"],
    ["maxIterations: Too big: expected number to be <=100.", "maxIterations: 数値が大きすぎます（<=100）。"],
    ["name: Invalid input: expected string, received undefined.", "name: 文字列が必要ですが、値なしでした。"],
    [
      "plan.steps.0.max: the proposal says at most 3; a plan can only be made narrower.",
      "plan.steps.0.max: 提案では最大 3 回です。計画は狭めることしかできません。",
    ],
    ["Not run: the run was stopped.", "未実行：実行が停止されました。"],
    [
      "There is no tool a__b. Available tools: a__c, a__d.",
      "ツール a__b はありません。使えるツール：a__c, a__d。",
    ],
    [
      "agents/x.yaml:3: a → b → a would never end.",
      "agents/x.yaml:3: a → b → a は循環していて終わりません。",
    ],
    [
      "agents/x.yaml:8: agent.temperature: there is no such key.",
      "agents/x.yaml:8: agent.temperature: その項目はありません。",
    ],
    [
      "agents/x.yaml:3: there is no agent b to use.",
      "agents/x.yaml:3: 使おうとしているエージェント b はありません。",
    ],
    [
      '"x": inputSchema: Invalid input: expected object, received array',
      '"x": inputSchema: オブジェクトが必要ですが、配列でした',
    ],
    [
      "A tool without a name: Invalid input: expected object, received null",
      "名前のないツール：オブジェクトが必要ですが、nullでした",
    ],
  ])("say %j as people would", (english, japanese) => {
    expect(translator(sentences)(english)).toBe(japanese);
  });
});
