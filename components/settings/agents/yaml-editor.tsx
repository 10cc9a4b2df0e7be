"use client";

import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, tooltips } from "@codemirror/view";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { useTranslations } from "use-intl";
import { editorTheme } from "@/components/settings/editor-theme";
import { useSentence } from "@/components/ui/words/sentences";
import type { AgentFileProblem } from "@/lib/protocol/agents";
import { type AgentField, type AgentNames, completeAgent } from "./complete-agent";

export interface YamlEditorHandle {
  /** Puts the cursor into a line, counted from 1, and shows it. */
  goTo(line: number): void;
}

export interface YamlEditorProps {
  ref?: Ref<YamlEditorHandle>;
  label: string;
  /** At its start; the editor keeps its own text from then on. */
  value: string;
  problems: readonly AgentFileProblem[];
  names: AgentNames;
  readOnly: boolean;
  onChange(value: string): void;
}

/** The file of an agent: problems are marked in their lines, keys and values are suggested. Tab leaves it. */
export default function YamlEditor(props: YamlEditorProps) {
  const { ref, label, value, problems, names, readOnly, onChange } = props;
  const t = useTranslations("settings.agents.editor");
  const inWords = useSentence();
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const words: Words = { completions: t("completions"), field: (field) => t(`field.${field}`) };
  const now = useRef({ value, onChange, names, words, label, readOnly });
  now.current = { ...now.current, onChange, names, words };
  useEffect(() => {
    if (!place.current) return;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: now.current.value,
        extensions: [
          ...extensions(() => now.current),
          EditorState.readOnly.of(now.current.readOnly),
          EditorView.contentAttributes.of({ "aria-label": now.current.label, tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) now.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const { current } = view;
    if (!current) return;
    const found = problems.map((problem) => diagnose(problem, current.state, inWords(problem.message)));
    current.dispatch(setDiagnostics(current.state, found));
  }, [problems, inWords]);
  useImperativeHandle(ref, () => ({ goTo: (line) => view.current && goTo(view.current, line) }), []);
  return <div ref={place} />;
}

interface Words {
  completions: string;
  field(field: AgentField): string;
}

function extensions(now: () => { names: AgentNames; words: Words }): Extension[] {
  return [
    ...[lineNumbers(), history(), yaml(), editorTheme, lintGutter(), EditorView.lineWrapping],
    tooltips({ position: "absolute" }),
    EditorState.phrases.of({ Completions: now().words.completions }),
    autocompletion({
      icons: false,
      override: [
        (context) => {
          const { state, pos } = context;
          if (!context.explicit && !context.matchBefore(/\w$|: $/)) return null;
          const found = completeAgent(state.doc.toString(), pos, now().names);
          if (!found || found.options.length === 0) return null;
          const options = found.options.map(({ label, apply, field }) => ({
            ...{ label, apply },
            ...(field && { detail: now().words.field(field) }),
          }));
          return { from: found.from, options };
        },
      ],
    }),
    // Escape closes the suggestions; Tab moves to the next field.
    keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
  ];
}

/** From its place to the end of the line. */
function diagnose({ line, column }: AgentFileProblem, { doc }: EditorState, message: string): Diagnostic {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const from = Math.min(at.from + Math.max(column - 1, 0), at.to);
  return { from, to: at.to, severity: "error", message };
}

function goTo(view: EditorView, line: number): void {
  const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  view.dispatch({
    selection: { anchor: at.from },
    effects: EditorView.scrollIntoView(at.from, { y: "center" }),
  });
  view.focus();
}
