"use client";

import { type Ref, useEffect, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { loadMarkdown } from "@/components/chat/markdown/answer-text";
import { isSendKey } from "@/components/chat/parts/is-send-key";
import { Key } from "@/components/ui/key";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import type { StoredFile } from "@/lib/protocol/message";
import { AgentPicker } from "./agent-picker";
import { AttachButton, AttachedFiles } from "./attached-files";
import { ModelPicker } from "./model-picker";
import { ServerPicker } from "./server-picker";
import { optionId, SuggestionList } from "./suggestion-list";
import { useAttachments } from "./use-attachments";
import { type SetText, useDraft } from "./use-draft";
import { useLibrary } from "./use-library";
import type { SendChoices } from "./use-send-options";
import { useSuggestions } from "./use-suggestions";

export interface ComposerHandle {
  focus(): void;
  fill(text: string): void;
  /** Puts text after what is written; the focus stays where it is. */
  append(text: string): void;
  isEmpty(): boolean;
}

export interface ComposerProps {
  ref: Ref<ComposerHandle>;
  chat: ChatStore;
  state: ConversationState;
  /** Fills an empty field once; it never sends. */
  prompt?: string | undefined;
  options: SendChoices;
  /** Resolves to whether the server has the message. */
  onSend(text: string, files: readonly StoredFile[], agent: string | null): Promise<boolean>;
  onStop(): void;
}

export function Composer({ ref, chat, state, prompt, options, onSend, onStop }: ComposerProps) {
  const t = useTranslations("chat.composer");
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useDraft(chat, state.id, prompt);
  const runs = state.liveRunId !== null || state.sending;
  const waits = !runs && state.turns.at(-1)?.answer?.view.status === "waiting";
  const files = useAttachments(chat, state.id);
  const [agent, setAgent] = useState<string | null>(null);
  const library = useLibrary({
    insert: (more) => setText((since) => (since === "" ? more : `${more}\n${since}`)),
    attach: files.add,
    focus: () => field.current?.focus(),
  });
  const suggestions = useSuggestions(text, { options, setText, chooseAgent: setAgent, ...library });
  const hasMessage = text.trim() !== "" || files.items.length > 0;
  const [triedToSend, setTriedToSend] = useState(false);
  if (triedToSend && !runs) setTriedToSend(false);
  useHeight(field, text);
  useFirstFocus(field);
  useImperativeHandle(ref, () => handleOf(field, setText), [setText]);

  const submit = async () => {
    const message = text.trim();
    if (runs) setTriedToSend(hasMessage);
    if (!hasMessage || runs || !files.ready) return;
    const read = suggestions.read(message);
    if (!read) return;
    const attached = files.take();
    const asked = read.agent ?? agent;
    setText("");
    setAgent(null);
    // What was typed meanwhile comes after what could not be sent.
    if (!(await onSend(read.text, attached, asked))) {
      setAgent(asked);
      setText((since) => (since === "" ? message : `${message}\n${since}`));
      files.putBack(attached);
    }
    field.current?.focus();
  };
  return (
    <>
      {library.panel}
      <form
        className="box"
        data-drop={files.dropping || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label htmlFor={id} className="sr-only">
          {t("label")}
        </label>
        <SuggestionList id={`${id}-list`} suggestions={suggestions} />
        <AttachedFiles files={files} options={options} />
        <textarea
          id={id}
          ref={field}
          value={text}
          rows={1}
          enterKeyHint="send"
          onPaste={files.onPaste}
          placeholder={
            files.dropping
              ? t("drop")
              : waits
                ? t("placeholderWaiting")
                : runs
                  ? t("placeholderRunning")
                  : t("placeholder")
          }
          onChange={(event) => {
            preload();
            setText(event.target.value);
          }}
          aria-controls={suggestions.items.length > 0 ? `${id}-list` : undefined}
          aria-activedescendant={
            suggestions.items.length > 0 ? optionId(`${id}-list`, suggestions.at) : undefined
          }
          onKeyDown={(event) => {
            if (suggestions.onKey(event)) return;
            if (!isSendKey(event)) return;
            event.preventDefault();
            void submit();
          }}
        />
        <p className="compose-hint" role="status">
          {runs && hasMessage && t(triedToSend ? "notSent" : "notYet")}
        </p>
        <div className="tools">
          <AttachButton files={files} />
          <AgentPicker agent={agent} onChoose={setAgent} />
          <ModelPicker options={options} />
          <ServerPicker options={options} />
          <span className="min-w-0 flex-1" />
          {runs || (waits && !hasMessage) ? (
            <button
              type="button"
              className="stop"
              onClick={onStop}
              aria-keyshortcuts={runs ? "Escape" : undefined}
            >
              <span className="stop-word">{t("stop")}</span>
              {runs && <Key keys="Escape" />}
            </button>
          ) : (
            <button type="submit" className="stop send" disabled={!hasMessage || !files.ready}>
              {t("send")}
            </button>
          )}
        </div>
      </form>
    </>
  );
}

/** Whoever writes a question will need what draws its answer; a failure shows when it is needed. */
function preload(): void {
  loadMarkdown().catch(() => {});
}

function handleOf(field: React.RefObject<HTMLTextAreaElement | null>, setText: SetText): ComposerHandle {
  return {
    focus: () => field.current?.focus(),
    isEmpty: () => !field.current?.value,
    append: (text) => setText((before) => (before === "" ? text : `${before}\n${text}`)),
    fill: (text) => {
      setText(text);
      requestAnimationFrame(() => {
        field.current?.focus();
        field.current?.setSelectionRange(text.length, text.length);
      });
    },
  };
}

/** As tall as its text; the style sheet says how tall it may get. */
function useHeight(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what makes it taller
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "";
    element.style.height = `${element.scrollHeight}px`;
  }, [field, text]);
}

/** Ready to type, except where that would bring up a keyboard over half the screen. */
function useFirstFocus(field: React.RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches && document.activeElement === document.body)
      field.current?.focus();
  }, [field]);
}
