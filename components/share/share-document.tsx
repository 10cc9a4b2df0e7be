"use client";

import { ReadOnlyThread } from "@/components/chat/read-only-thread";
import { cn } from "@/components/ui/cn";
import type { ShareSnapshot } from "@/lib/protocol/http";
import { modelNameOf, ShareMeta } from "./share-meta";

export interface ShareDocumentProps {
  snapshot: ShareSnapshot;
  expiresAt: string | null;
}

/** A shared conversation as paper: the page behind a link and the saved file are this. */
export function ShareDocument({ snapshot, expiresAt }: ShareDocumentProps) {
  const question = questionOf(snapshot);
  const repeats = question !== "" && repeatsStart(snapshot.title, question);
  return (
    <div className={cn("col pb-16", repeats && question.length <= maxTitle && "share-untitled")}>
      <header className="share-head">
        {/* What the first question says, it says itself. */}
        <h1 className={repeats ? "sr-only" : "share-title"}>{snapshot.title}</h1>
        <ShareMeta snapshot={snapshot} expiresAt={expiresAt} />
      </header>
      <ReadOnlyThread
        messages={snapshot.messages}
        runs={snapshot.runs}
        modelName={(id) => modelNameOf(snapshot, id)}
      />
    </div>
  );
}

/** A longer question is no title to look at. */
const maxTitle = 160;

function questionOf({ messages }: ShareSnapshot): string {
  const [first] = messages;
  if (first?.role !== "user") return "";
  return first.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** A title that nobody has given is the beginning of the question. */
function repeatsStart(title: string, question: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, " ").trim();
  return plain(question).startsWith(plain(title.replace(/…$/, "")));
}
