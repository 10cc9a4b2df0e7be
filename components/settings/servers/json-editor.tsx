"use client";

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, tooltips } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useId, useRef } from "react";
import { useTranslations } from "use-intl";
import { completeEntry } from "./complete-entry";
import { type EntryProblem, type FieldName, findProblems } from "./entry-schema";

export interface JsonEditorProps {
  label: string;
  hint?: string | undefined;
  /** What the server or the form says of the whole. */
  error?: string | undefined;
  value: string;
  onChange(value: string): void;
}

/** An entry as JSON: faults are marked in their lines while it is written, and fields are suggested. Tab leaves it. */
export default function JsonEditor({ label, hint, error, value, onChange }: JsonEditorProps) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const words = useWords();
  // The editor keeps its own text from then on; what it is told at its start is all it needs.
  const start = useRef({ value, onChange, words, label, id });
  start.current = { ...start.current, onChange };
  useEffect(() => {
    const { words: spoken, value: doc, label: name, id: key } = start.current;
    if (!place.current) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc,
        extensions: [
          ...extensions(spoken),
          EditorView.contentAttributes.of({ "aria-label": name, "aria-describedby": `${key}-note` }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) start.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, []);
  return (
    <div>
      <span className="mb-1 block text-mach text-ink-2" aria-hidden="true">
        {label}
      </span>
      <div ref={place} className="json-editor" data-invalid={error ? true : undefined} />
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
  problem(problem: EntryProblem): string;
  field(name: string): string;
  completions: string;
}

function extensions(words: Words): Extension[] {
  return [
    ...[lineNumbers(), history(), json(), syntaxHighlighting(colours), lintGutter(), EditorView.lineWrapping],
    // Tooltips of the lint stay in the dialog, above which nothing is.
    tooltips({ position: "absolute" }),
    EditorState.phrases.of({ Completions: words.completions }),
    linter((view) => findProblems(view.state.doc.toString()).map((problem) => diagnose(problem, words)), {
      delay: 200,
    }),
    autocompletion({
      icons: false,
      override: [
        ({ state, pos, explicit, matchBefore }) => {
          if (!explicit && !matchBefore(/[\w"]+$/)) return null;
          const found = completeEntry(state.doc.toString(), pos);
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
    // Escape closes the suggestions first, then the dialog; Tab goes on to the next field.
    keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
  ];
}

function narrow<Option extends { label: string }>(options: Option[], typed: string): Option[] {
  const plain = typed.replace(/"/g, "").toLowerCase();
  return options.filter(({ label }) => label.replace(/"/g, "").toLowerCase().startsWith(plain));
}

function diagnose(problem: EntryProblem, words: Words): Diagnostic {
  const { from, to, code } = problem;
  return { from, to, severity: code === "unknown" ? "warning" : "error", message: words.problem(problem) };
}

function useWords(): Words {
  const t = useTranslations("settings.servers.json");
  return {
    completions: t("completions"),
    field: (name) => t(`field.${name as FieldName}`),
    problem: (problem) => {
      switch (problem.code) {
        case "syntax":
          return t(`syntax.${problem.syntax}`);
        case "object":
        case "proto":
        case "neither":
        case "both":
          return t(problem.code);
        case "twice":
        case "range":
          return t(problem.code, { name: problem.name });
        case "type":
          return t("type", { name: problem.name, type: problem.type });
        case "choice":
          return t("choice", { name: problem.name, choices: problem.choices });
        case "unknown":
          return t("unknown", { name: problem.name, near: problem.near });
      }
    },
  };
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, fontWeight: "600" },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: "var(--ink-2)" },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: "var(--ink-3)" },
]);
