"use client";

import type { ReactNode } from "react";
import { ReadOnlyThread } from "@/components/chat/read-only-thread";
import { cn } from "@/components/ui/cn";
import { withBlocks } from "@/components/ui/redacted";
import type { ShareSnapshot } from "@/lib/protocol/shares";
import { modelNameOf, ShareMeta } from "./share-meta";

export interface ShareDocumentProps {
  snapshot: ShareSnapshot;
  expiresAt: string | null;
  /** In place of the conversation as it stands. */
  thread?: ReactNode;
}

/** A shared conversation as paper: the page behind a link and the saved file are this. */
export function ShareDocument({ snapshot, expiresAt, thread }: ShareDocumentProps) {
  const question = questionOf(snapshot);
  const repeats = question !== "" && repeatsStart(snapshot.title, question);
  const isShort = question.length <= maxTitle;
  return (
    <div
      className={cn(
        "column pb-16",
        // The question is the title.
        repeats && isShort && "[&_article:first-of-type>.group>[data-question]]:text-title",
      )}
    >
      <header className={cn("py-3 pl-(--gutter) rule-b phone:pl-0", !repeats && "pt-4")}>
        <h1 className={repeats ? "sr-only" : titleClass}>{withBlocks(snapshot.title)}</h1>
        <ShareMeta snapshot={snapshot} expiresAt={expiresAt} />
      </header>
      {thread ?? (
        <ReadOnlyThread
          messages={snapshot.messages}
          runs={snapshot.runs}
          withheld={snapshot.withheld}
          modelName={(id) => modelNameOf(snapshot, id)}
        />
      )}
    </div>
  );
}

const titleClass = "font-voice text-[30px]/10 text-balance wrap-anywhere phone:text-title";

/** A longer question is no title to look at. */
const maxTitle = 160;

function questionOf({ messages }: ShareSnapshot): string {
  const [first] = messages;
  if (first?.role !== "user") return "";
  return first.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The title of a conversation that was never renamed is the beginning of its question. */
function repeatsStart(title: string, question: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, " ").trim();
  return plain(question).startsWith(plain(title.replace(/…$/, "")));
}
