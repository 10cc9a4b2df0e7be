"use client";

import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { Button } from "@/components/ui/controls/button";

export interface DraftFormProps {
  title: string;
  /** The name of the list that it was opened from. */
  back: string;
  /** Said under the fields; empty where everything is saved. */
  note: string;
  onBack(): void;
  onSave(): Promise<void>;
  children: ReactNode;
}

/** One thing of a list, opened beside it: saved by its button or by keys, a draft until then. */
export function DraftForm({ title, back, note, onBack, onSave, children }: DraftFormProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <form
      noValidate
      className="grid gap-4 pb-8"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void onSave();
      }}
      onKeyDown={(event) => {
        if (event.key.toLowerCase() !== "s" || !(event.metaKey || event.ctrlKey) || event.shiftKey) return;
        event.preventDefault();
        void onSave();
      }}
    >
      <div className="hidden mid:block">
        <Button tone="quiet" small icon="arrowLeft" onClick={onBack}>
          {back}
        </Button>
      </div>
      <h2 ref={heading} tabIndex={-1} className="font-voice text-voice outline-none wrap-anywhere">
        {title}
      </h2>
      {children}
      <p className="min-h-4 text-micro text-ink-3" role="status">
        {note}
      </p>
    </form>
  );
}
