import {
  createHighlighterCore,
  type HighlighterCore,
  type LanguageInput,
  type ThemeRegistrationRaw,
} from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

/** A piece of a line: keyword, string, comment, or nothing in particular. */
export interface CodeToken {
  text: string;
  kind?: "key" | "str" | "note";
}

export interface HighlightReply {
  id: number;
  lines: CodeToken[][] | null;
}

const marks = { "#000001": "key", "#000002": "str", "#000003": "note" } as const;

/** Weight and slope say it all, so that the one accent keeps its meaning; the colours here are only marks. */
const theme: ThemeRegistrationRaw = {
  name: "ink",
  settings: [
    { settings: { foreground: "#000000", background: "#ffffff" } },
    {
      scope: ["keyword", "storage", "entity.name.tag", "support.type.property-name", "constant.language"],
      settings: { foreground: "#000001" },
    },
    { scope: ["keyword.operator"], settings: { foreground: "#000000" } },
    {
      scope: ["string", "constant.other.symbol", "markup.inline.raw"],
      settings: { foreground: "#000002" },
    },
    { scope: ["comment", "punctuation.definition.comment"], settings: { foreground: "#000003" } },
  ],
};

const languages: Record<string, () => Promise<unknown>> = {
  bash: () => import("shiki/langs/bash.mjs"),
  c: () => import("shiki/langs/c.mjs"),
  cpp: () => import("shiki/langs/cpp.mjs"),
  css: () => import("shiki/langs/css.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  docker: () => import("shiki/langs/docker.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  java: () => import("shiki/langs/java.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  kotlin: () => import("shiki/langs/kotlin.mjs"),
  markdown: () => import("shiki/langs/markdown.mjs"),
  php: () => import("shiki/langs/php.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  ruby: () => import("shiki/langs/ruby.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  swift: () => import("shiki/langs/swift.mjs"),
  toml: () => import("shiki/langs/toml.mjs"),
  tsx: () => import("shiki/langs/tsx.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  xml: () => import("shiki/langs/xml.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
};

const aliases: Record<string, string> = {
  "c++": "cpp",
  dockerfile: "docker",
  js: "javascript",
  jsx: "tsx",
  kt: "kotlin",
  md: "markdown",
  mjs: "javascript",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  ts: "typescript",
  yml: "yaml",
  zsh: "bash",
};

/**
 * For one line: what is left of it then takes the colour of its last piece. The first line pays for the expressions of the
 * grammar, too, on a busy machine more than the half second that shiki gives.
 */
const lineTimeMs = 5_000;

let opening: Promise<HighlighterCore> | undefined;

async function tokens(code: string, asked: string): Promise<CodeToken[][] | null> {
  const language = aliases[asked.toLowerCase()] ?? asked.toLowerCase();
  const load = languages[language];
  if (!load) return null;
  opening ??= createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await opening;
  if (!highlighter.getLoadedLanguages().includes(language))
    await highlighter.loadLanguage((await load()) as LanguageInput);
  const { tokens: lines } = highlighter.codeToTokens(code, {
    lang: language,
    theme: "ink",
    tokenizeTimeLimit: lineTimeMs,
  });
  return lines.map((line) =>
    line.map(({ content, color }) => {
      const kind = marks[color?.toLowerCase() as keyof typeof marks];
      return { text: content, ...(kind && { kind }) };
    }),
  );
}

addEventListener("message", ({ data }: MessageEvent<{ id: number; code: string; language: string }>) => {
  const answer = (lines: CodeToken[][] | null) =>
    postMessage({ id: data.id, lines } satisfies HighlightReply);
  tokens(data.code, data.language).then(answer, () => answer(null));
});
