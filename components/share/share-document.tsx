"use client";

import { ReadOnlyThread } from "@/components/chat/read-only-thread";
import type { ShareSnapshot } from "@/lib/protocol/http";

/** A shared conversation as paper: the page behind a link and the saved file are this. */
export function ShareDocument({ snapshot, meta }: { snapshot: ShareSnapshot; meta: string }) {
  return (
    <div className="col pb-16">
      <header className="share-head">
        <h1 className="share-title">{snapshot.title}</h1>
        <p className="meta leading-5">{meta}</p>
      </header>
      <ReadOnlyThread messages={snapshot.messages} runs={snapshot.runs} />
    </div>
  );
}
