import { useRef } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { programAddress, useProgram } from "./use-program";

export interface ProgramAskProps {
  onRun(): void;
  onRead(): void;
}

/** In place of a page that a model has written, until a person wants it to run. */
export function ProgramAsk({ onRun, onRead }: ProgramAskProps) {
  const t = useTranslations("chat.artifact");
  const canRun = programAddress() !== undefined;
  return (
    <div className="mx-auto flex min-h-full max-w-100 flex-col justify-center p-6">
      <h2 className="font-voice text-voice">{t("ask")}</h2>
      <p className="mt-1 mb-4 text-mach text-pretty text-ink-2">{t(canRun ? "askWhy" : "noPlace")}</p>
      <div className="flex flex-wrap gap-2">
        {canRun && (
          <Button tone="ink" keys="Enter" data-run="" onClick={onRun}>
            {t("run")}
          </Button>
        )}
        <Button onClick={onRead}>{t("read")}</Button>
      </div>
      {canRun && <p className="mt-4 text-micro text-pretty text-ink-3">{t("asked")}</p>}
    </div>
  );
}

/** The page as it runs, shut in. */
export function ProgramView({ html, title }: { html: string; title: string }) {
  const t = useTranslations("chat.artifact");
  const frame = useRef<HTMLIFrameElement>(null);
  const { state, refused } = useProgram(frame, html, title);
  return (
    <div className="flex min-h-full flex-col">
      {(state === "left" || state === "silent") && (
        <p className="p-6 text-mach text-ink-2" role="alert">
          {t(state)}
        </p>
      )}
      <iframe
        ref={frame}
        title={title}
        hidden={state === "left"}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        className="min-h-0 w-full flex-1"
        // Pages are written for white paper.
        style={{ background: "#fff", colorScheme: "light" }}
      />
      {refused.length > 0 && (
        <p className="flex-none px-4 py-2 text-micro text-pretty text-ink-3 rule-t" role="status">
          {t("refused", { hosts: refused.join(", ") })}
        </p>
      )}
    </div>
  );
}
