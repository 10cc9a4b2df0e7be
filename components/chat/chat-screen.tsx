"use client";

import { usePathname } from "next/navigation";
import { type ComponentType, useCallback, useEffect, useMemo, useRef } from "react";
import { useTranslations } from "use-intl";
import { LateOffer } from "@/components/notifications/late-offer";
import { Bar } from "@/components/shell/bar";
import { usePageCommand } from "@/components/shell/page-commands";
import { cn } from "@/components/ui/cn";
import { useAskedForNew } from "@/components/ui/go";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { useFocusBack } from "@/components/ui/use-focus-back";
import type { AskedAgent } from "@/lib/client/conversation/chat-request";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import type { SayHow } from "@/lib/client/conversation/queue-lines";
import { useConversation } from "@/lib/client/conversation/use-conversation";
import type { StoredFile } from "@/lib/protocol/message";
import type { OpenedConversation } from "@/lib/protocol/opened-conversation";
import { conversationIn, projectIn, showAddress } from "./address";
import { Composer } from "./composer/composer";
import type { ComposerHandle } from "./composer/message-field";
import { useSendOptions } from "./composer/use-send-options";
import { Examples } from "./examples";
import { FailureLine } from "./failure-line";
import type { ReadOnlyLineProps } from "./read-only-line";
import type { TemporarySwitchProps } from "./temporary/temporary-switch";
import type { TurnActions } from "./turn/turn-actions";
import { fetchTurns, Turns, type TurnsProps } from "./turns";
import { Welcome } from "./welcome";

const projectHead = latePart<ProjectPartProps>(() => import("@/components/projects/project-head"));
const projectParts = latePart<ProjectPartProps>(() => import("@/components/projects/project-parts"));
const temporarySwitch = latePart<TemporarySwitchProps>(() => import("./temporary/temporary-switch"));
const readOnlyLine = latePart<ReadOnlyLineProps>(() => import("./read-only-line"));
const temporaryLine = latePart<object>(() => import("./temporary/temporary-line"));

interface ProjectPartProps {
  id: string;
}

export interface ChatScreenProps {
  prompt?: string | undefined;
  readBody?: TurnsProps["readBody"];
  /** What names the project, where it came with the page. */
  Head?: ComponentType<ProjectPartProps> | undefined;
  /** What the page has brought along. */
  opened?: OpenedConversation | null;
}

/**
 * A conversation, new or old: which one, the address says. The first message of a new one changes the address in place,
 * so that nothing is mounted anew while its answer streams.
 */
export function ChatScreen({ prompt, readBody, Head: ready, opened }: ChatScreenProps) {
  const pathname = usePathname();
  const id = conversationIn(pathname);
  const project = projectIn(pathname);
  const { chat, state } = useConversation(id, showAddress, { opened, asked: useAskedForNew() });
  const composer = useRef<ComposerHandle>(null);
  const options = useSendOptions(chat, state, project);
  const send = useCallback(
    async (text: string, files: readonly StoredFile[], asked: AskedAgent) =>
      chat.send(text, { ...(await options.current()), ...asked }, files),
    [chat, options],
  );
  const say = useCallback(
    (how: SayHow, text: string, files: readonly StoredFile[]) => chat.say(how, text, options.current, files),
    [chat, options],
  );
  const { isReadOnly } = state;
  const actions = useMemo<TurnActions>(
    () => ({
      isReadOnly,
      edit: async (turn, text) => void chat.edit(turn, text, await options.current()),
      regenerate: async (turn) => void chat.regenerate(turn, await options.current()),
      takePlanBack: (runId) => void chat.takePlanBack(runId),
      runAgain: async (turn, callId) => void chat.runAgain(turn, callId, await options.current()),
      resume: (runId) => void chat.resume(runId),
      showSibling: (messageId) => void chat.showSibling(messageId),
    }),
    [chat, options, isReadOnly],
  );
  const write = (text: string) => {
    composer.current?.append(text);
    composer.current?.focus();
  };
  usePageCommand("write", isReadOnly ? undefined : write);
  const end = useCallback(() => void stop(chat, state), [chat, state]);
  useComposerKeys(chat, state, composer);
  // Unless that would bring up a keyboard over half the screen.
  const focusBack = useFocusBack(() => matchMedia("(hover: hover)").matches && composer.current?.focus());
  const isEmpty = state.phase === "new" && state.turns.length === 0;
  const late = useLatePart(projectHead, isEmpty && project !== null && ready === undefined);
  const Head = ready ?? late;
  const TemporarySwitch = useLatePart(temporarySwitch, isEmpty && project === null);
  const TemporaryLine = useLatePart(temporaryLine, isEmpty && project === null && state.isTemporary);
  const ReadOnlyLine = useLatePart(readOnlyLine, isReadOnly);
  const ProjectParts = useLatePart(projectParts, isEmpty && project !== null);
  return (
    <div
      className={screenLook}
      data-empty={isEmpty || undefined}
      data-asked={isAsked(state) || undefined}
      data-project={(isEmpty && project !== null) || undefined}
      {...focusBack}
    >
      {!(isEmpty && project !== null) && <Title state={state} />}
      {isEmpty ? (
        <>
          {/* In a low window the rest scrolls, and must not do so behind the buttons of the bar. */}
          <div className="sticky top-0 z-4 col-span-full flex-none bg-paper">
            <Bar>{TemporarySwitch && <TemporarySwitch chat={chat} isOn={state.isTemporary} />}</Bar>
          </div>
          {project === null ? <Welcome /> : Head && <Head id={project} />}
          {TemporaryLine && <TemporaryLine />}
        </>
      ) : (
        <Turns readBody={readBody} {...{ chat, state, actions, composer }} onStop={end} />
      )}
      <div className={bottomLook}>
        <div className={cn(columnLook, state.comparison && "max-w-none")}>
          <LateOffer runId={state.liveRunId} />
          <FailureLine chat={chat} state={state} />
          {isReadOnly ? (
            ReadOnlyLine && <ReadOnlyLine chat={chat} state={state} />
          ) : (
            <Composer
              ref={composer}
              chat={chat}
              state={state}
              prompt={prompt}
              options={options}
              onWriting={fetchTurns}
              onSend={send}
              onSay={say}
              onStop={end}
            />
          )}
        </div>
      </div>
      {isEmpty &&
        (project === null ? (
          <Examples options={options} onPick={(text) => composer.current?.fill(text)} />
        ) : (
          ProjectParts && <ProjectParts id={project} />
        ))}
    </div>
  );
}

/** What is higher than the window begins at its top, or its beginning could not be scrolled to. */
const screenLook = cn(
  "group/chat flex min-h-0 flex-1 flex-col data-empty:justify-center-safe data-empty:overflow-y-auto",
  "data-project:justify-start wide:data-project:grid wide:data-project:grid-cols-[minmax(0,1fr)_minmax(0,576px)_320px_minmax(0,1fr)] wide:data-project:content-start",
);

/** The text runs out into it. The answers of a card take its place where they are pinned. */
const bottomLook = cn(
  "relative z-2 foot pb-4 phone:pb-[max(12px,env(safe-area-inset-bottom))]",
  "before:pointer-events-none before:absolute before:inset-x-0 before:-top-6 before:h-6 before:bg-linear-to-b before:from-transparent before:to-paper",
  "wide:group-data-project/chat:col-[2/3] group-data-empty/chat:pt-5 group-data-empty/chat:pb-0 group-data-empty/chat:before:hidden",
  "group-data-asked/chat:pinned:fixed group-data-asked/chat:pinned:inset-x-0 group-data-asked/chat:pinned:top-12 group-data-asked/chat:pinned:z-5 group-data-asked/chat:pinned:bg-paper group-data-asked/chat:pinned:p-0 group-data-asked/chat:pinned:before:hidden",
);

const columnLook =
  "column group-data-empty/chat:max-w-[728px] group-data-asked/chat:pinned:*:not-data-failure:hidden";

export function isWaiting(state: ConversationState): boolean {
  // What waits of several is stopped with all of them.
  if (state.comparison) return false;
  return state.liveRunId === null && state.turns.at(-1)?.answer?.view.status === "waiting";
}

/** Whether a card stands under the last turn; the look of the screen is told so, as `:has()` would read all turns again with each word. */
function isAsked({ turns, comparison, columns }: ConversationState): boolean {
  if (comparison) return columns?.isAsked ?? false;
  const view = turns.at(-1)?.answer?.view;
  return view != null && view.runId !== null && view.pending.length > 0;
}

function stop(chat: ChatStore, state: ConversationState): Promise<void> {
  const runId = state.turns.at(-1)?.answer?.view.runId;
  return isWaiting(state) && runId ? chat.stopWaiting(runId) : chat.stop();
}

/** Escape stops what runs, Shift+Escape goes to the message field; dialogs, menus and fields come first. */
function useComposerKeys(
  chat: ChatStore,
  state: ConversationState,
  composer: React.RefObject<ComposerHandle | null>,
): void {
  const busy = state.liveRunId !== null || state.sending;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      if (document.querySelector("dialog[open], [role=menu]")) return;
      if (event.shiftKey) composer.current?.focus();
      else if (busy) void chat.stop();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [chat, busy, composer]);
}

/**
 * The tab says whether somebody is waited for. An element, not `document.title`: Next.js streams the metadata of a page
 * after it, and what it brings late would undo an assignment.
 */
function Title({ state }: { state: ConversationState }) {
  const t = useTranslations("chat");
  const waits = isWaiting(state) || state.columns?.waits ? `(${t("bar.waiting")}) ` : "";
  // A browser keeps the titles of pages that were seen.
  const name = state.isTemporary ? t("temporary.name") : state.title || t("newChat");
  return <title>{`${waits}${name} · Meguri`}</title>;
}
