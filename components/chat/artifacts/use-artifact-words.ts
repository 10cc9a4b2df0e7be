import { useTranslations } from "use-intl";
import type { ArtifactForm } from "@/lib/client/text/artifact-of";

const languages: Record<string, string> = {
  bash: "Bash",
  c: "C",
  "c#": "C#",
  "c++": "C++",
  cpp: "C++",
  cs: "C#",
  css: "CSS",
  csv: "CSV",
  diff: "diff",
  go: "Go",
  java: "Java",
  javascript: "JavaScript",
  js: "JavaScript",
  json: "JSON",
  jsx: "JSX",
  kotlin: "Kotlin",
  php: "PHP",
  py: "Python",
  python: "Python",
  rb: "Ruby",
  rs: "Rust",
  ruby: "Ruby",
  rust: "Rust",
  sh: "Shell",
  shell: "Shell",
  sql: "SQL",
  swift: "Swift",
  toml: "TOML",
  ts: "TypeScript",
  tsx: "TSX",
  typescript: "TypeScript",
  xml: "XML",
  yaml: "YAML",
  yml: "YAML",
};

/** What an artifact is called, and what it is. */
export function useArtifactWords(): (form: ArtifactForm) => { name: string; kind: string } {
  const t = useTranslations("chat.artifact");
  return ({ kind, name, language }) => {
    const shown = kind === "code" ? (languages[language.toLowerCase()] ?? (language || t("text"))) : t(kind);
    return { name: name ?? t(`unnamed.${kind}`, { language: shown }), kind: shown };
  };
}
