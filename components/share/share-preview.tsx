"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Choice } from "@/components/ui/controls/choice";
import { ShareDocument } from "./share-document";
import type { Look } from "./use-look";

/** The copy as it will be read, drawn by what draws the page behind a link; nothing in it can be pressed. */
export function SharePreview({ preview: snapshot, findings }: Look) {
  const t = useTranslations("share.policy");
  const withheld = Object.values(snapshot.withheld ?? {});
  const hidden = withheld.filter(({ shown }) => shown === "hidden").length;
  const counts = {
    hidden,
    shortened: withheld.length - hidden,
    redacted: findings.filter(({ decision }) => decision === "redact").length,
  };
  const told = (["hidden", "shortened", "redacted"] as const).filter((what) => counts[what] > 0);
  return (
    <section aria-label={t("preview")} className="flex min-h-0 flex-col">
      <p className="flex flex-none flex-wrap justify-between gap-x-4 pb-2 text-mach text-ink-2">
        <span>{t("preview")}</span>
        <span className="text-ink-3">{told.map((what) => t(what, { count: counts[what] })).join(" · ")}</span>
      </p>
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and what it holds takes no focus
        tabIndex={0}
        className="max-h-[min(560px,60dvh)] flex-1 overflow-y-auto border border-rule thin-bar"
      >
        <div inert className="[&_.column]:px-4">
          <ShareDocument snapshot={snapshot} expiresAt={null} />
        </div>
      </div>
    </section>
  );
}

type Side = "policy" | "preview";

/** What is chosen, and beside it what it looks like; where there is no room, one or the other. */
export function WithPreview({
  busy,
  preview,
  children,
}: {
  busy: boolean;
  preview: ReactNode;
  children: ReactNode;
}) {
  const t = useTranslations("share.policy.tabs");
  const [side, setSide] = useState<Side>("policy");
  const look = (name: Side) => cn("min-w-0", side !== name && "max-[899px]:hidden");
  return (
    <div className="grid gap-x-8 gap-y-4 min-[900px]:grid-cols-[minmax(0,11fr)_minmax(0,13fr)]">
      <div className="min-[900px]:hidden">
        <Choice<Side>
          label={t("label")}
          options={[
            { value: "policy", label: t("policy") },
            { value: "preview", label: t("preview") },
          ]}
          value={side}
          onChange={setSide}
        />
      </div>
      <div className={cn("grid content-start gap-4 text-mach", look("policy"))}>{children}</div>
      <div className={look("preview")} aria-busy={busy}>
        {preview}
      </div>
    </div>
  );
}
