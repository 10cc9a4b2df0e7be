"use client";

import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import type { IconName } from "@/components/ui/icon";
import { notifyFailure } from "@/components/ui/toast";
import { IconButton } from "./button";

/** Copies, and says so for two seconds by a check in its own place. */
export function CopyButton({
  label,
  icon = "copy",
  text,
  className,
  onNear,
}: {
  label: string;
  icon?: IconName;
  text(): string | Promise<string>;
  className?: string;
  /** Somebody reaches for it. */
  onNear?(): void;
}) {
  const t = useTranslations("common");
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      icon={copied ? "check" : icon}
      iconSize={14}
      label={copied ? t("copied") : label}
      tipSide="right-edge"
      className={cn(className)}
      onPointerEnter={onNear}
      onFocus={onNear}
      onClick={() =>
        Promise.resolve(text())
          .then(copyText)
          .then(
            () => setCopied(true),
            () => notifyFailure(t("copyFailed")),
          )
      }
    />
  );
}

/** Also outside a secure context, where a clipboard object is absent: another machine's plain http address. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("copy refused");
}
