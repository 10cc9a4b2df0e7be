"use client";

import { type Ref, useCallback, useEffect, useId, useImperativeHandle, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isSendKey, sayKey } from "@/components/chat/parts/is-send-key";
import { latePart, useLatePart } from "@/components/ui/late-part";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { newTemporary } from "@/lib/client/conversation/drafts";
import { AgentPicker } from "./agent-picker";
import { AssistantChip } from "./assistant-chip";
import { AttachButton } from "./attach-button";
import type { AttachedFilesProps } from "./attached-files";
import type { ComparePickerProps } from "./compare-picker";
import { ContextGauge } from "./context-gauge";
import { EffortPicker } from "./effort-picker";
import {
  type ComposerHandle,
  handleOf,
  newsLook,
  useEarlyText,
  useFirstFocus,
  useHeight,
} from "./message-field";
import { ModelPicker } from "./model-picker";
import { PressedWords } from "./pressed-words";
import { SendButtons } from "./send-buttons";
import { ServerPicker } from "./server-picker";
import { useAgentState } from "./use-agent-state";
import { useAttachments } from "./use-attachments";
import { useDraft } from "./use-draft";
import { useLibrary } from "./use-library";
import { useMeanwhile } from "./use-meanwhile";
import type { SendChoices } from "./use-send-options";
import { type Submitting, useSubmit } from "./use-submit";
import { useSuggesting } from "./use-suggesting";

const attachedFiles = latePart<AttachedFilesProps>(() => import("./attached-files"));

const comparePicker = latePart<ComparePickerProps>(() => import("./compare-picker"));

export interface ComposerProps extends Pick<Submitting, "onSend" | "onSay"> {
  ref: Ref<ComposerHandle>;
  chat: ChatStore;
  state: ConversationState;
  /** Fills an empty field once; it never sends. */
  prompt?: string | undefined;
  options: SendChoices;
  /** There is something to send, typed or brought back. */
  onWriting(): void;
  onStop(): void;
}

export function Composer(props: ComposerProps) {
  const { ref, chat, state, prompt, options, onWriting, onSend, onSay, onStop } = props;
  const t = useTranslations("chat.composer");
  const said = useTranslations("chat.say");
  const compared = useTranslations("chat.compare");
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const place = state.id ?? (state.isTemporary ? newTemporary : null);
  const [text, setText] = useDraft(chat, place, prompt);
  const runs = state.liveRunId !== null || state.sending;
  const { comparing, comparison } = state;
  const waits = !runs && !comparison && state.turns.at(-1)?.answer?.view.status === "waiting";
  const goesOn = runs || waits;
  // What is written next goes on with one of the answers.
  const mustChoose = comparison !== null && !goesOn;
  const [choosing, setChoosing] = useState(false);
  const openCompare = useCallback(() => setChoosing(true), []);
  const ComparePicker = useLatePart(comparePicker, choosing || comparing !== null || comparison !== null);
  const one = comparing === null && comparison === null;
  const files = useAttachments(chat, place);
  const AttachedFiles = useLatePart(attachedFiles, files.items.length > 0);
  const [agent, setAgent] = useState<string | null>(null);
  const { Form: AgentState, ...begins } = useAgentState(agent);
  const library = useLibrary({
    insert: (more) => setText((since) => (since === "" ? more : `${more}\n${since}`)),
    attach: files.add,
    focus: () => field.current?.focus(),
  });
  const targets = { options, setText, chooseAgent: setAgent, ...library };
  const suggestions = useSuggesting(`${id}-list`, text, targets);
  const hasMessage = text.trim() !== "" || files.items.length > 0;
  useEffect(() => {
    if (hasMessage) onWriting();
  }, [hasMessage, onWriting]);
  // While a conversation is fetched it has no turns either.
  const isFirst = state.phase === "new" && state.turns.length === 0;
  useHeight(field, text, isFirst);
  useFirstFocus(field);
  useEarlyText(field, setText);
  useImperativeHandle(ref, () => handleOf(field, setText), [setText]);

  const putBackText = useCallback(
    (back: string) => setText((since) => (since === "" ? back : `${back}\n${since}`)),
    [setText],
  );
  const meanwhile = useMeanwhile({
    ...{ chat, state, options, runs, waits, hasMessage },
    onLeftOver: putBackText,
  });
  const { say } = meanwhile;
  const { submit, agentTooEarly, isHeld } = useSubmit({
    ...{ place, text, setText, agent, setAgent, files, suggestions, begins },
    ...{ say, goesOn, putBackText, onSend, onSay },
    mustChoose,
    focus: () => field.current?.focus(),
  });
  return (
    <>
      {library.panel}
      <form
        data-box
        className={boxLook}
        data-drop={files.dropping || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          void submit(goesOn ? say.how : null);
        }}
      >
        {meanwhile.lines}
        <label htmlFor={id} className="sr-only">
          {t("label")}
        </label>
        {suggestions.list}
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
                : comparison
                  ? compared(mustChoose ? "chooseFirst" : "placeholder")
                  : t(placeholderOf({ waits, runs, isFirst }))
          }
          onChange={(event) => setText(event.target.value)}
          aria-controls={suggestions.active && `${id}-list`}
          aria-activedescendant={suggestions.active}
          onKeyDown={(event) => {
            if (suggestions.onKey(event)) return;
            const how = goesOn ? sayKey(event) : null;
            if (!how && (goesOn || !isSendKey(event))) return;
            event.preventDefault();
            void submit(how);
          }}
        />
        {!comparison && meanwhile.choice}
        <div role="status">
          {mustChoose && hasMessage ? (
            <p className={newsLook}>{compared("chooseFirst")}</p>
          ) : agentTooEarly ? (
            <p className={newsLook}>{said("agentLater")}</p>
          ) : isHeld ? (
            <p className={newsLook}>{said("sentWithFiles")}</p>
          ) : (
            meanwhile.news
          )}
        </div>
        <div className="@container/bar flex items-center gap-1 px-2 pt-1 pb-2 text-mach">
          <AttachButton files={files} />
          <AssistantChip options={options} />
          {one && (
            <>
              <AgentPicker agent={agent} onChoose={setAgent} />
              <ModelPicker options={options} onCompare={openCompare} />
              <EffortPicker options={options} />
            </>
          )}
          {ComparePicker && (
            <ComparePicker
              conversation={chat.conversation}
              state={state}
              model={options.model}
              isOpen={choosing}
              onOpenChange={setChoosing}
            />
          )}
          <ServerPicker options={options} />
          <PressedWords chat={chat} state={state} />
          <ContextGauge
            options={options}
            conversation={state.phase === "ready" ? state.id : null}
            moment={runs ? null : momentOf(state)}
          />
          <SendButtons
            {...{ runs, goesOn, hasMessage, onStop }}
            ofAll={comparison !== null}
            how={comparison ? "next_turn" : say.how}
            canSend={hasMessage && !mustChoose}
          />
        </div>
      </form>
    </>
  );
}

/** Another one when a run has ended, on another branch, and when something else is chosen. */
const momentOf = ({ turns, choice }: ConversationState): string => {
  const last = turns.at(-1);
  return JSON.stringify([
    turns.length,
    last?.key,
    last?.answer?.messageId,
    last?.answer?.view.status,
    choice,
  ]);
};

const boxLook =
  "relative rounded-box border border-rule-2 bg-raised shadow-lift has-[textarea:focus-visible]:border-ink data-drop:border-dashed data-drop:border-ink data-drop:bg-paper-2";

function placeholderOf({ waits, runs, isFirst }: Record<"waits" | "runs" | "isFirst", boolean>) {
  if (waits) return "placeholderWaiting";
  if (runs) return "placeholderRunning";
  return isFirst ? "placeholder" : "placeholderNext";
}
