import type { Turn } from "@/lib/agent/ports";
import type { DemoStep } from "./actions";

const exitLoop = "exit_loop";
const nothingLeft = "No major issues found.";
const japanese = /[\u3040-\u30ff\u4e00-\u9fff]/;

interface Words {
  draft(request: string): string;
  /** What it asks for, and how that is written, in the order of rounds. */
  changes: readonly (readonly [critique: string, text: string])[];
}

const words: Record<"en" | "ja", Words> = {
  en: {
    draft: (request) =>
      `You asked for: ${request}\n\nThis draft comes from the built-in demo, which is no AI: it shows how drafts, critiques and rounds look, and writes the same few sentences for everybody.`,
    changes: [
      [
        "Say at the beginning what it is for.",
        "It is meant for whoever wants to see a workflow before connecting a real model.",
      ],
      [
        "Say at the end what to do next.",
        "To get real drafts, enter a key in Settings → Models and ask again.",
      ],
    ],
  },
  ja: {
    draft: (request) =>
      `ご依頼: ${request}\n\nこれは AI ではない内蔵デモによる下書きです。下書きと批評と周回の見え方を示すもので、誰に対しても同じ数行を書きます。`,
    changes: [
      [
        "冒頭で、何のための文書かを述べてください。",
        "本物のモデルをつなぐ前に、ワークフローの様子を見たい方のためのものです。",
      ],
      [
        "最後に、次に何をすればよいかを述べてください。",
        "本物の下書きが必要なら、設定 → モデルで鍵を入力して、もう一度頼んでください。",
      ],
    ],
  },
};

/** The demo's part in the shipped document pipeline, by what the instructions of `agents/document.yaml` say; else nothing. */
export function workflowStep(
  { system, tools }: Pick<Turn, "system" | "tools">,
  request: string,
): DemoStep | undefined {
  const told = words[japanese.test(request) ? "ja" : "en"];
  if (system.includes("You are the initial writer.")) return { say: told.draft(request) };
  const reviewed = between(system, "Document to review:\n", "\n\nIf one or two clear changes");
  if (reviewed !== undefined) {
    const next = told.changes.find(([, text]) => !reviewed.includes(text));
    return { say: next ? next[0] : nothingLeft };
  }
  const refined = between(system, "Document to refine:\n", "\n\nCritique:\n");
  const critique = between(system, "\n\nCritique:\n", "\n\nIf the critique is exactly")?.trim();
  if (refined === undefined || critique === undefined || !tools.some(({ name }) => name === exitLoop))
    return undefined;
  if (critique === nothingLeft)
    return { thought: "Nothing is left to change.", calls: [{ name: exitLoop, args: {} }] };
  const change = told.changes.find(([asked]) => asked === critique);
  return { say: change ? `${refined.trim()}\n\n${change[1]}` : refined.trim() };
}

function between(text: string, before: string, after: string): string | undefined {
  const start = text.indexOf(before);
  if (start < 0) return undefined;
  const end = text.indexOf(after, start + before.length);
  return end < 0 ? undefined : text.slice(start + before.length, end);
}
