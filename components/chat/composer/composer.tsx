"use client";

import { type Ref, useEffect, useId, useImperativeHandle, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isSendKey } from "@/components/chat/parts/is-send-key";
import { cn } from "@/components/ui/cn";
import { Key } from "@/components/ui/key";
import { latePart, useLatePart } from "@/components/ui/late-part";
import type { AskedAgent } from "@/lib/client/conversation/chat-request";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import type { StoredFile } from "@/lib/protocol/message";
import { AgentPicker } from "./agent-picker";
import { AssistantChip } from "./assistant-chip";
import { AttachButton } from "./attach-button";
import type { AttachedFilesProps } from "./attached-files";
import { ContextGauge } from "./context-gauge";
import { EffortPicker } from "./effort-picker";
import { type ComposerHandle, handleOf, useEarlyText, useFirstFocus, useHeight } from "./message-field";
import { ModelPicker } from "./model-picker";
import { ServerPicker } from "./server-picker";
import type { SuggestionListProps } from "./suggestion-list";
import { useAgentState } from "./use-agent-state";
import { useAttachments } from "./use-attachments";
import { useDraft } from "./use-draft";
import { useLibrary } from "./use-library";
import type { SendChoices } from "./use-send-options";
import { optionId, useSuggestions } from "./use-suggestions";

const suggestionList = latePart<SuggestionListProps>(() => import("./suggestion-list"));
const attachedFiles = latePart<AttachedFilesProps>(() => import("./attached-files"));

export interface ComposerProps {
  ref: Ref<ComposerHandle>;
  chat: ChatStore;
  state: ConversationState;
  /** Fills an empty field once; it never sends. */
  prompt?: string | undefined;
  options: SendChoices;
  /** There is something to send, typed or brought back. */
  onWriting(): void;
  /** Resolves to whether the server has the message. */
  onSend(text: string, files: readonly StoredFile[], asked: AskedAgent): Promise<boolean>;
  onStop(): void;
}

export function Composer({ ref, chat, state, prompt, options, onWriting, onSend, onStop }: ComposerProps) {
  const t = useTranslations("chat.composer");
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useDraft(chat, state.id, prompt);
  const runs = state.liveRunId !== null || state.sending;
  const waits = !runs && state.turns.at(-1)?.answer?.view.status === "waiting";
  const files = useAttachments(chat, state.id);
  const AttachedFiles = useLatePart(attachedFiles, files.items.length > 0);
  const [agent, setAgent] = useState<string | null>(null);
  const { Form: AgentState, ...begins } = useAgentState(agent);
  const library = useLibrary({
    insert: (more) => setText((since) => (since === "" ? more : `${more}\n${since}`)),
    attach: files.add,
    focus: () => field.current?.focus(),
  });
  const suggestions = useSuggestions(text, { options, setText, chooseAgent: setAgent, ...library });
  const SuggestionList = useLatePart(suggestionList, suggestions.items.length > 0);
  const hasMessage = text.trim() !== "" || files.items.length > 0;
  useEffect(() => {
    if (hasMessage) onWriting();
  }, [hasMessage, onWriting]);
  const [triedToSend, setTriedToSend] = useState(false);
  if (triedToSend && !runs) setTriedToSend(false);
  // While a conversation is fetched it has no turns either.
  const isFirst = state.phase === "new" && state.turns.length === 0;
  useHeight(field, text, isFirst);
  useFirstFocus(field);
  useEarlyText(field, setText);
  useImperativeHandle(ref, () => handleOf(field, setText), [setText]);

  const submit = async () => {
    const message = text.trim();
    if (runs) setTriedToSend(hasMessage);
    if (!hasMessage || runs || !files.ready) return;
    const read = suggestions.read(message);
    if (!read) return;
    const asked = read.agent ?? agent;
    const state = begins.take(asked);
    if (state === "missing") {
      setAgent(asked);
      setText(read.text);
      return;
    }
    const attached = files.take();
    setText("");
    setAgent(null);
    // What was typed meanwhile comes after what could not be sent.
    if (await onSend(read.text, attached, { agent: asked, ...(state && { state }) })) begins.clear();
    else {
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
        data-box
        className={boxLook}
        data-drop={files.dropping || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label htmlFor={id} className="sr-only">
          {t("label")}
        </label>
        {SuggestionList && <SuggestionList id={`${id}-list`} suggestions={suggestions} />}
        {AgentState && <AgentState {...begins.props} />}
        {AttachedFiles && <AttachedFiles files={files} options={options} />}
        <textarea
          id={id}
          ref={field}
          value={text}
          rows={1}
          enterKeyHint="send"
          onPaste={files.onPaste}
          className="field-sizing-content block max-h-[min(40vh,320px)] min-h-[42px] w-full resize-none px-3.5 pt-2.5 pb-2 leading-6 outline-none [scrollbar-width:thin] group-data-empty/chat:min-h-[62px] placeholder:truncate phone:text-[16px] phone:group-data-empty/chat:min-h-[68px] phone:group-data-empty/chat:placeholder:whitespace-normal"
          placeholder={
            files.dropping
              ? t("drop")
              : isFirst && options.project
                ? t("placeholderProject", { name: options.project.name })
                : t(placeholderOf({ waits, runs, isFirst }))
          }
          onChange={(event) => setText(event.target.value)}
          aria-controls={SuggestionList ? `${id}-list` : undefined}
          aria-activedescendant={SuggestionList ? optionId(`${id}-list`, suggestions.at) : undefined}
          onKeyDown={(event) => {
            if (suggestions.onKey(event)) return;
            if (!isSendKey(event)) return;
            event.preventDefault();
            void submit();
          }}
        />
        <p className="px-3.5 pb-1 text-micro text-ink-3 empty:hidden" role="status">
          {runs && hasMessage && t(triedToSend ? "notSent" : "notYet")}
        </p>
        <div className="@container/bar flex items-center gap-1 px-2 pt-1 pb-2 text-mach">
          <AttachButton files={files} />
          <AssistantChip options={options} />
          <AgentPicker agent={agent} onChoose={setAgent} />
          <ModelPicker options={options} />
          <EffortPicker options={options} />
          <ServerPicker options={options} />
          <ContextGauge options={options} />
          {runs || (waits && !hasMessage) ? (
            // With keys the one is not turned into the other, which would keep the focus where nothing can be pressed.
            <button
              key="stop"
              type="button"
              data-stop
              className={cn(
                goLook,
                "before:size-2.5 before:rounded-[1px] before:bg-current phone:w-11 phone:justify-center phone:p-0",
              )}
              onClick={onStop}
              aria-keyshortcuts={runs ? "Escape" : undefined}
            >
              <span className="phone:sr-only">{t("stop")}</span>
              {runs && <Key keys="Escape" on="ink" className="font-normal" />}
            </button>
          ) : (
            <button key="send" type="submit" className={goLook} disabled={!hasMessage || !files.ready}>
              {t("send")}
            </button>
          )}
        </div>
      </form>
    </>
  );
}

const boxLook =
  "relative rounded-box border border-rule-2 bg-raised shadow-lift has-[textarea:focus-visible]:border-ink data-drop:border-dashed data-drop:border-ink data-drop:bg-paper-2";

const goLook =
  "inline-flex h-8 flex-none items-center gap-2 rounded-control bg-ink px-3 text-mach font-semibold whitespace-nowrap text-on-ink hover:enabled:bg-ink-2 disabled:bg-paper-3 disabled:text-ink-3 phone:h-11";

function placeholderOf({ waits, runs, isFirst }: Record<"waits" | "runs" | "isFirst", boolean>) {
  if (waits) return "placeholderWaiting";
  if (runs) return "placeholderRunning";
  return isFirst ? "placeholder" : "placeholderNext";
}
