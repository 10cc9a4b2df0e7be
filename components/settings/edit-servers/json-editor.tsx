"use client";

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { type Diagnostic, linter, lintGutter } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, tooltips } from "@codemirror/view";
import { useDeferredValue, useEffect, useId, useMemo, useRef } from "react";
import { useTranslations } from "use-intl";
import { editorTheme } from "@/components/settings/editor-theme";
import { hasFinePointer } from "@/components/ui/has-fine-pointer";
import { maxConfigCharacters } from "@/lib/protocol/mcp-file";
import { completeEntry } from "./complete-entry";
import { type EntryProblem, findInFile, findProblems, isFaulty } from "./entry-problems";
import type { FieldName } from "./entry-schema";

export interface JsonEditorProps {
  label: string;
  hint?: string | undefined;
  /** What the server or the form says of the whole. */
  error?: string | undefined;
  value: string;
  /** The whole file instead of an entry. */
  inFile?: boolean;
  /** It is what its dialog is about: focus goes there once it is loaded. */
  autoFocus?: boolean;
  onChange(value: string): void;
}

/** An entry, or the whole file, as JSON: faults are marked in their lines while it is written, and fields are suggested. Tab leaves it. */
export default function JsonEditor({
  label,
  hint,
  error,
  value,
  inFile = false,
  autoFocus = false,
  onChange,
}: JsonEditorProps) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const words = useWords();
  const read = useDeferredValue(value);
  const problems = useMemo(() => problemsOf(read, inFile).slice(0, 10), [read, inFile]);
  // The editor keeps its own text from then on; what it is told at its start is all it needs.
  const start = useRef({ value, onChange, words, label, id, inFile, autoFocus });
  start.current = { ...start.current, onChange };
  useEffect(() => {
    const { words: spoken, value: doc, label: name, id: key } = start.current;
    if (!place.current) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc,
        extensions: [
          ...extensions(spoken, start.current.inFile),
          EditorView.contentAttributes.of({
            ...{ "aria-label": name, "aria-describedby": `${key}-note` },
            tabindex: "0", // so that what scrolls is reachable also where it is not seen as a field
          }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) start.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    if (start.current.autoFocus && hasFinePointer()) view.focus();
    return () => view.destroy();
  }, []);
  return (
    <div>
      <span className="mb-1 block text-mach text-ink-2" aria-hidden="true">
        {label}
      </span>
      <div ref={place} />
      <ul aria-label={words.problems} aria-live="polite" className="text-mach text-shu">
        {problems.map((problem) => (
          <li key={`${problem.from} ${problem.code}`} className="mt-1">
            {words.line(read.slice(0, problem.from).split("\n").length, problem)}
          </li>
        ))}
      </ul>
      <p
        id={`${id}-note`}
        role={error ? "alert" : undefined}
        className={error ? "mt-1 text-mach text-shu" : "mt-1 text-micro text-ink-3"}
      >
        {error ?? hint}
      </p>
    </div>
  );
}

interface Words {
  problems: string;
  line(line: number, problem: EntryProblem): string;
  problem(problem: EntryProblem): string;
  field(name: string): string;
  completions: string;
}

const problemsOf = (text: string, inFile: boolean) => findProblems(text, inFile ? findInFile : undefined);

function extensions(words: Words, inFile: boolean): Extension[] {
  return [
    ...[lineNumbers(), history(), json(), editorTheme, lintGutter(), EditorView.lineWrapping],
    // Tooltips of the lint stay in the dialog, above which nothing is.
    tooltips({ position: "absolute" }),
    EditorState.phrases.of({ Completions: words.completions }),
    linter(
      (view) => problemsOf(view.state.doc.toString(), inFile).map((problem) => diagnose(problem, words)),
      { delay: 200 },
    ),
    autocompletion({
      icons: false,
      override: [
        (context) => {
          const { state, pos } = context;
          if (!context.explicit && !context.matchBefore(/[\w"]+$/)) return null;
          const found = completeEntry(state.doc.toString(), pos, inFile);
          if (!found) return null;
          const options = found.options.map(({ label, apply, field }) => ({
            ...{ label, apply, filter: false },
            ...(field && { detail: words.field(field) }),
          }));
          return {
            from: found.from,
            to: found.to,
            options: narrow(options, state.sliceDoc(found.from, pos)),
            filter: false,
          };
        },
      ],
    }),
    // Escape closes the suggestions first, then the dialog; Tab moves to the next field.
    keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
  ];
}

function narrow<Option extends { label: string }>(options: Option[], typed: string): Option[] {
  const plain = typed.replace(/"/g, "").toLowerCase();
  return options.filter(({ label }) => label.replace(/"/g, "").toLowerCase().startsWith(plain));
}

function diagnose(problem: EntryProblem, words: Words): Diagnostic {
  const { from, to } = problem;
  return {
    from,
    to,
    severity: isFaulty(problem) ? "error" : "warning",
    message: words.problem(problem),
  };
}

function useWords(): Words {
  const t = useTranslations("settings.servers.json");
  const say = (problem: EntryProblem): string => {
    switch (problem.code) {
      case "syntax":
        return t(`syntax.${problem.syntax}`);
      case "object":
      case "proto":
      case "neither":
      case "both":
      case "servers":
        return t(problem.code);
      case "long":
        return t("long", { size: problem.size, max: maxConfigCharacters });
      case "twice":
      case "range":
      case "unread":
        return t(problem.code, { name: problem.name });
      case "type":
        return t("type", { name: problem.name, type: problem.type });
      case "choice":
        return t("choice", { name: problem.name, choices: problem.choices });
      case "unknown":
        return t("unknown", { name: problem.name, near: problem.near });
    }
  };
  return {
    problems: t("problems"),
    completions: t("completions"),
    field: (name) => t(`field.${name as FieldName}`),
    problem: say,
    line: (line, problem) => t("line", { line, problem: say(problem) }),
  };
}
