import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The editor in the ink and paper of the page; its own styles are in no layer, so that these have to be its own too. */
export const editorTheme = [
  EditorView.theme({
    "&": {
      minHeight: "200px",
      maxHeight: "var(--editor-height, 360px)",
      border: "1px solid var(--rule-2)",
      borderRadius: "var(--r2)",
      backgroundColor: "var(--raised)",
      color: "var(--ink)",
    },
    "&.cm-focused": { outline: "2px solid var(--ink)", outlineOffset: "1px" },
    ".cm-scroller": { font: "400 12px / 20px var(--font-mono)" },
    ".cm-content": { caretColor: "var(--shu)" },
    ".cm-cursor": { borderLeftColor: "var(--shu)" },
    ".cm-gutters": { border: "0", backgroundColor: "transparent", color: "var(--ink-3)" },
    ".cm-lint-marker": { width: "8px", height: "8px", borderRadius: "50%", margin: "6px 0", content: "none" },
    ".cm-lint-marker-error": { backgroundColor: "var(--shu)" },
    ".cm-lint-marker-warning": { border: "1px solid var(--shu)" },
    ".cm-lintRange-error, .cm-lintRange-warning": {
      backgroundImage: "none",
      textDecoration: "underline wavy var(--shu)",
    },
    ".cm-tooltip": {
      border: "1px solid var(--rule-2)",
      borderRadius: "var(--r2)",
      backgroundColor: "var(--raised)",
      color: "var(--ink)",
      fontSize: "var(--t-mach)",
    },
    ".cm-tooltip-autocomplete ul li[aria-selected]": {
      backgroundColor: "var(--ink)",
      color: "var(--on-ink)",
    },
    ".cm-tooltip-autocomplete ul": { fontFamily: "var(--font-mono)", fontSize: "12px" },
    ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal", fontFamily: "var(--font-text)" },
    "[aria-selected] .cm-completionDetail": { color: "var(--on-ink)" },
    ".cm-diagnostic, .cm-diagnostic-error": { borderLeft: "2px solid var(--shu)" },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.propertyName, fontWeight: "600" },
      { tag: [tags.string, tags.number, tags.bool, tags.null], color: "var(--ink-2)" },
      { tag: [tags.separator, tags.squareBracket, tags.brace], color: "var(--ink-3)" },
    ]),
  ),
];
