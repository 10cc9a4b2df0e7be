import { markdownSample } from "./markdown";

/** Everything the demo says, in one language. */
export type Wording = typeof en;

export const wordingFor = (request: string): Wording =>
  /[\u3040-\u30ff\u4e00-\u9fff]/.test(request) ? ja : en;

type Connected = readonly [server: string, tools: number][];

const en = {
  about: (
    connected: Connected,
  ) => `I am a small built-in demo, not an AI model. I understand only a few fixed requests, but I really run the connected tools for them.

**Try one of these**

- list the files
- write a note called hello saying Hello from Meguri
- read hello.md
- remember that I like green tea
- what do you remember
- think step by step about packing for a trip
- count to 30
- show markdown
- \`/tool server__tool {"name": "value"}\` runs any connected tool

**Connected now:** ${connected.map(([server, tools]) => `${server} (${tools} ${tools === 1 ? "tool" : "tools"})`).join(", ") || "no server. Add one in Settings → MCP servers."}

**To talk to a real model**, enter its key in **Settings → Models**, or set one of these and start again:

- Gemini: \`GOOGLE_GENERATIVE_AI_API_KEY\`
- Claude: \`ANTHROPIC_API_KEY\`
- Ollama: found by itself when it runs on this machine, elsewhere \`OLLAMA_BASE_URL\`
- any OpenAI-compatible server: \`OPENAI_BASE_URL\`, and \`OPENAI_API_KEY\` if it wants a key`,
  notConnected: (server: string) =>
    `For that I need the MCP server \`${server}\`, which is not connected. Add it or look at its state in **Settings → MCP servers**.`,
  askFolder: "First I ask which folder I may look into.",
  lookInto: (folder: string) => `I may look into ${folder}, so I list it.`,
  noFolder: "The filesystem server allows no folder, so there is nothing to list.",
  emptyFolder: (folder: string) => `The folder \`${folder}\` is empty.`,
  entries: (count: number, folder: string) =>
    `There ${count === 1 ? "is 1 entry" : `are ${count} entries`} in \`${folder}\`:`,
  readFile: (path: string) => `I read ${path}.`,
  fileSays: (path: string) => `This is in \`${path}\`:`,
  writeNote: (path: string) => `I write ${path}. That changes something, so you may be asked first.`,
  noteWritten: (path: string) => `I have written the note to \`${path}\`. Say “read ${path}” to see it.`,
  lookIntoMemory: "I look into the memory first.",
  keep: "I add it to the memory.",
  remembered: (fact: string) => `I have added this to the memory: ${fact}`,
  iRemember: "This is in the memory:",
  nothingRemembered: "There is nothing in the memory yet. Say “remember that …” to add something.",
  thisQuestion: "this question",
  nextThought: (number: number, of: number) => `Step ${number} of ${of}.`,
  thoughts: (subject: string) => [
    `What is asked: ${subject}`,
    `What has to be known first: the aim, the limits and what is there already.`,
    `What follows: start with the smallest step that can be checked.`,
  ],
  thought: (subject: string, steps: number) =>
    `I called the tool ${steps} times, once for each step about “${subject}”. The steps are fixed sentences: I am a demo without thoughts of my own, and a real model would fill them.`,
  runAsTold: (count: number) =>
    count === 1 ? "I run this tool as you told me." : `I run these ${count} tools at once.`,
  toolForm: 'Write it like this: `/tool server__tool {"name": "value"}`',
  answered: (tool: string) => `\`${tool}\` answered:`,
  denied: (tool: string) => `You did not allow \`${tool}\`, so it was not run.`,
  failed: (tool: string) => `\`${tool}\` failed:`,
  unclear: (tool: string) =>
    `Nobody knows whether \`${tool}\` has done its work. Check before you repeat it.`,
  others: (count: number) =>
    `With it came ${count === 1 ? "one attachment" : `${count} attachments`}; open the tool line to see it.`,
  markdown: markdownSample("This is what Markdown looks like here.", {
    list: ["a list", "with **bold**, *italic* and `code`", "and a [link](https://modelcontextprotocol.io)"],
    quote: "Whoever asks is a fool for five minutes; whoever does not ask stays one.",
    table: ["Server", "Tools", "State"],
    tasks: ["Read the notes", "Buy a new printer"],
  }),
};

const ja: Wording = {
  about: (
    connected,
  ) => `これは Meguri に組み込まれた小さなデモで、AI モデルではありません。決まった依頼しか分かりませんが、接続されているツールは本当に実行します。

**お試しください**

- ファイルを一覧
- 「hello」というメモに「Meguri からこんにちは」と書いて
- hello.md を読んで
- 緑茶が好きなことを覚えて
- 何を覚えていますか
- 旅行の荷造りについて順を追って考えて
- 30まで数えて
- マークダウンを見せて
- \`/tool サーバー名__ツール名 {"name": "value"}\` で接続中のどのツールも実行できます

**接続中:** ${connected.map(([server, tools]) => `${server}（ツール ${tools} 個）`).join("、") || "なし。「設定 → MCP サーバー」で追加できます。"}

**本物のモデルと話すには**、「設定 → モデル」で鍵を入れるか、次のどれかを設定して起動し直してください。

- Gemini: \`GOOGLE_GENERATIVE_AI_API_KEY\`
- Claude: \`ANTHROPIC_API_KEY\`
- Ollama: このマシンで動いていれば自動で見つかります。別の場所なら \`OLLAMA_BASE_URL\`
- OpenAI 互換サーバー: \`OPENAI_BASE_URL\`（キーが必要なら \`OPENAI_API_KEY\` も）`,
  notConnected: (server) =>
    `それには MCP サーバー \`${server}\` が必要ですが、接続されていません。**設定 → MCP サーバー** で追加するか、状態を確かめてください。`,
  askFolder: "まず、見てよいフォルダーを確かめます。",
  lookInto: (folder) => `${folder} を見てよいので、一覧を取ります。`,
  noFolder: "filesystem サーバーに許可されたフォルダーがないため、一覧できません。",
  emptyFolder: (folder) => `フォルダー \`${folder}\` は空です。`,
  entries: (count, folder) => `\`${folder}\` には ${count} 件あります。`,
  readFile: (path) => `${path} を読みます。`,
  fileSays: (path) => `\`${path}\` の内容です。`,
  writeNote: (path) => `${path} に書き込みます。変更を伴うので、先に確認されることがあります。`,
  noteWritten: (path) => `メモを \`${path}\` に書きました。「${path} を読んで」で確かめられます。`,
  lookIntoMemory: "まず記憶を調べます。",
  keep: "記憶に加えます。",
  remembered: (fact) => `次のことを記憶に加えました: ${fact}`,
  iRemember: "記憶にあるのは次のとおりです。",
  nothingRemembered: "まだ何も記憶にありません。「…を覚えて」と言うと加えられます。",
  thisQuestion: "この問い",
  nextThought: (number, of) => `${of} 段階のうち ${number} 段階目です。`,
  thoughts: (subject) => [
    `問われていること: ${subject}`,
    "先に知るべきこと: 目的、制約、すでにあるもの。",
    "次にすること: 確かめられる最も小さな一歩から始める。",
  ],
  thought: (subject, steps) =>
    `「${subject}」について、1 段階ずつ ${steps} 回ツールを呼びました。各段階の文は決まったものです。これは考えを持たないデモで、本物のモデルなら自分で埋めます。`,
  runAsTold: (count) =>
    count === 1 ? "指示どおりこのツールを実行します。" : `${count} 個のツールを同時に実行します。`,
  toolForm: '次のように書いてください: `/tool サーバー名__ツール名 {"name": "value"}`',
  answered: (tool) => `\`${tool}\` の結果です。`,
  denied: (tool) => `\`${tool}\` は許可されなかったので、実行していません。`,
  failed: (tool) => `\`${tool}\` は失敗しました。`,
  unclear: (tool) => `\`${tool}\` が完了したかどうか分かりません。繰り返す前に確かめてください。`,
  others: (count) => `ほかに ${count} 件の添付があります。ツールの行を開くと見られます。`,
  markdown: markdownSample("Markdown はこのように表示されます。", {
    list: ["箇条書き", "**太字**、*斜体*、`コード`", "[リンク](https://modelcontextprotocol.io)"],
    quote: "聞くは一時の恥、聞かぬは一生の恥。",
    table: ["サーバー", "ツール", "状態"],
    tasks: ["メモを読む", "新しいプリンターを買う"],
  }),
};
