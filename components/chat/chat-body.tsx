"use client";

import { useCallback, useMemo } from "react";
import { useTranslations } from "use-intl";
import { Button, buttonClass } from "@/components/ui/controls/button";
import { useGo } from "@/components/ui/go";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { NearLink } from "@/components/ui/near-link";
import { Skeleton } from "@/components/ui/skeleton";
import { useSentence } from "@/components/ui/words/sentences";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { editAnswer } from "@/lib/client/conversation/edit-answer";
import { type ForkRequest, forkAnswer } from "@/lib/client/conversation/fork-answer";
import { useModels } from "@/lib/client/conversation/models";
import type { ToolCallId } from "@/lib/protocol/ids";
import { addressOf } from "./address";
import { AppText } from "./apps/app-text";
import type { TurnSource } from "./artifacts/artifact-desk";
import { ArtifactPlace } from "./artifacts/artifact-place";
import { WaitingCards } from "./cards/waiting-cards";
import { ChatBar } from "./chat-bar";
import type { ColumnsProps } from "./compare/columns";
import type { ComposerHandle } from "./composer/message-field";
import { Forking } from "./fork/forking";
import { LiveRegion } from "./live-region";
import { OfProgram } from "./parts/of-program";
import { QuoteButton } from "./quote-button";
import type { SessionCallsProps } from "./session-calls";
import { EndedTemporary } from "./temporary/ended-temporary";
import TemporaryLine from "./temporary/temporary-line";
import { Thread } from "./thread";
import { AnswerEditor } from "./turn/answer-edit";
import { CallCanceller } from "./turn/tool-detail";
import type { TurnActions } from "./turn/turn-actions";

export interface ChatBodyProps {
  chat: ChatStore;
  state: ConversationState;
  actions: TurnActions;
  composer: React.RefObject<ComposerHandle | null>;
  onStop(): void;
}

const lateCalls = latePart<SessionCallsProps>(() => import("./session-calls"));

/** Few conversations are those of programs. */
function Session(props: SessionCallsProps) {
  const Calls = useLatePart(lateCalls, true);
  return Calls && <Calls {...props} />;
}

// Most questions go to one model.
const lateColumns = latePart<ColumnsProps>(() => import("./compare/columns"));

/** Of a text that an app puts into the message field, in characters. */
const maxAppText = 10_000;

/** The bar and below it the turns, or why there are none. */
export default function ChatBody(props: ChatBodyProps) {
  return (
    <>
      <ChatBar chat={props.chat} state={props.state} />
      {props.state.isTemporary && props.state.phase !== "missing" && <TemporaryLine />}
      {props.state.comparison && ["new", "ready"].includes(props.state.phase) ? (
        <Compared {...props} />
      ) : (
        <>
          <Content {...props} />
          <LiveRegion state={props.state} />
        </>
      )}
    </>
  );
}

/** Several models answer the last question beside each other. */
function Compared({ chat, state, composer }: ChatBodyProps) {
  const t = useTranslations("common");
  const Columns = useLatePart(lateColumns, true);
  if (Columns) return <Columns chat={chat} state={state} composer={composer} />;
  return (
    <div className="relative flex min-h-0 flex-1 animate-[appear_var(--fast)_var(--ease)_300ms_both] flex-col">
      <div className="column pt-5">
        <Skeleton lines={5} label={t("loading")} />
      </div>
    </div>
  );
}

function Content({ chat, state, actions, composer, onStop }: ChatBodyProps) {
  const t = useTranslations("chat");
  const common = useTranslations("common");
  const inWords = useSentence();
  const models = useModels().data?.items;
  const modelName = useCallback(
    (model: string | null) => models?.find(({ id }) => id === model)?.name,
    [models],
  );
  const { conversation } = chat;
  const source = useMemo<TurnSource>(
    () => ({ subscribe: conversation.subscribe, turns: () => conversation.getState().turns }),
    [conversation],
  );
  const keep = useCallback(
    (messageId: string, text: string) => editAnswer(conversation, messageId, text),
    [conversation],
  );
  const go = useGo();
  const fork = useCallback(
    async (request: ForkRequest) => {
      const { conversationId } = await forkAnswer(conversation, request);
      if (conversationId !== conversation.getState().id) go(addressOf(conversationId));
    },
    [conversation, go],
  );
  const cancel = useCallback((id: ToolCallId) => chat.cancelCall(id), [chat]);
  const write = useCallback(
    (text: string) => {
      composer.current?.append(text.slice(0, maxAppText));
      return composer.current !== null;
    },
    [composer],
  );
  switch (state.phase) {
    case "loading":
      return (
        <div className="relative flex min-h-0 flex-1 flex-col">
          <div className="column pt-5">
            <Skeleton lines={5} label={common("loading")} />
          </div>
        </div>
      );
    case "missing":
    case "failed":
      if (state.isTemporary && state.phase === "missing") return <EndedTemporary />;
      return (
        <div className="relative flex min-h-0 flex-1 flex-col">
          <div className="column pt-5" role="alert">
            <h1 className="font-voice text-title">{t(`${state.phase}.title`)}</h1>
            <p className="meta">
              {state.phase === "missing" ? t("missing.text") : inWords(state.failure?.message ?? "")}
            </p>
            <p className="mt-4">
              {state.phase === "failed" ? (
                <Button onClick={() => void chat.conversation.refresh()}>{common("tryAgain")}</Button>
              ) : (
                <NearLink href="/" className={buttonClass()}>
                  {t("newChat")}
                </NearLink>
              )}
            </p>
          </div>
        </div>
      );
    case "new":
    case "ready":
      return (
        <CallCanceller value={cancel}>
          <AppText value={write}>
            <AnswerEditor value={state.isReadOnly ? null : keep}>
              <ArtifactPlace source={source}>
                <Forking fork={fork}>
                  <Thread
                    conversation={chat.conversation}
                    state={state}
                    actions={actions}
                    modelName={modelName}
                    onOlder={() => chat.conversation.loadOlder()}
                    end={state.isOfProgram && state.id !== null && <Session conversation={state.id} />}
                    card={
                      <OfProgram value={state.isOfProgram}>
                        <WaitingCards chat={chat} state={state} composer={composer} onStop={onStop} />
                      </OfProgram>
                    }
                  />
                </Forking>
              </ArtifactPlace>
              {!state.isReadOnly && <QuoteButton composer={composer} />}
            </AnswerEditor>
          </AppText>
        </CallCanceller>
      );
  }
}
