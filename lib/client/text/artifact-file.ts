import type { ArtifactForm } from "./artifact-of";
import { safeFileName } from "./safe-file-name";

const types = {
  html: "text/html",
  svg: "image/svg+xml",
  markdown: "text/markdown",
  code: "text/plain",
} as const;
const endings = {
  html: /\.html?$/i,
  svg: /\.svg$/i,
  markdown: /\.(?:md|markdown)$/i,
  code: /\.[a-z][a-z0-9]{0,9}$/i,
};
const ending = { html: ".html", svg: ".svg", markdown: ".md" } as const;

const ofLanguage: Record<string, string> = {
  bash: "sh",
  "c#": "cs",
  "c++": "cpp",
  javascript: "js",
  kotlin: "kt",
  python: "py",
  ruby: "rb",
  rust: "rs",
  shell: "sh",
  typescript: "ts",
  yaml: "yml",
};
const known =
  /^(?:c|cpp|cs|css|csv|diff|go|java|js|json|jsx|kt|php|py|rb|rs|sh|sql|swift|toml|ts|tsx|xml|yml)$/;

/** The name of the file into which an artifact is saved, and its type. */
export function artifactFile({ kind, name, language }: ArtifactForm): { name: string; type: string } {
  const base = safeFileName(kind === "code" ? (name?.split(/[/\\]/).at(-1) ?? "") : (name ?? ""), kind);
  const type = `${types[kind]};charset=utf-8`;
  if (endings[kind].test(base)) return { name: base, type };
  return { name: base + (kind === "code" ? `.${codeEnding(language.toLowerCase())}` : ending[kind]), type };
}

function codeEnding(language: string): string {
  const short = ofLanguage[language] ?? language;
  return known.test(short) ? short : "txt";
}
