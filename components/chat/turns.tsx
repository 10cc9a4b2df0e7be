"use client";

import { Activity, type ComponentType, memo, useCallback } from "react";
import { useTranslations } from "use-intl";
import { Bar } from "@/components/shell/bar";
import { fetchInPauses, latePart, useLatePart } from "@/components/ui/late-part";
import { Skeleton } from "@/components/ui/skeleton";
import { loadRunCode } from "@/lib/client/conversation/run-code";
import { addressOf } from "./address";
import type { ChatBodyProps } from "./chat-body";

// A new conversation has no turns before one is asked.
const lateBody = latePart<ChatBodyProps>(() => import("./chat-body"));

/** For the first word of a new conversation: what draws its turns, in several steps so that no key waits for all of it. */
export const fetchTurns = (): void =>
  void fetchInPauses([
    { read: () => import("./markdown/markdown-text") },
    { read: () => import("./turn/turn") },
    lateBody,
    { read: loadRunCode },
  ]);

export interface TurnsProps extends ChatBodyProps {
  /** Gives what draws the turns, where it came with the page. */
  readBody?: (() => ComponentType<ChatBodyProps>) | undefined;
}

/** The turns as soon as what draws them has come; most often that is before its place is seen. */
export const Turns = memo(function Turns({ readBody, ...props }: TurnsProps) {
  const { id } = props.state;
  // A new version was installed meanwhile: the conversation is read with that one, and its run goes on.
  const openAgain = useCallback(() => {
    if (id !== null) location.replace(addressOf(id));
  }, [id]);
  const Late = useLatePart(lateBody, readBody === undefined, openAgain);
  // What the page has brought along is taken over after the message field, and at once when somebody presses something in it.
  return <Activity>{Late ? <Late {...props} /> : <BroughtTurns readBody={readBody} {...props} />}</Activity>;
});

function BroughtTurns({ readBody, ...props }: TurnsProps) {
  const t = useTranslations("common");
  const Body = readBody?.();
  if (Body) return <Body {...props} />;
  return (
    <>
      <Bar />
      <div className="relative flex min-h-0 flex-1 animate-[appear_var(--fast)_var(--ease)_300ms_both] flex-col">
        <div className="column pt-5">
          <Skeleton lines={5} label={t("loading")} />
        </div>
      </div>
    </>
  );
}
