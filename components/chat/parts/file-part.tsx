"use client";

import { createContext, useContext } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { useSize } from "@/components/ui/words/use-size";
import type { FilePart as File } from "@/lib/protocol/message";

/** Where stored files are to be had: a shared page has addresses of its own. */
export const FileAddress = createContext((id: string) => `/api/attachments/${encodeURIComponent(id)}`);

/** A file of a message or a tool: an image to look at, a sound to hear, anything else to download. */
export function FilePart({ file, alt }: { file: File; alt: string }) {
  const t = useTranslations("chat.file");
  const size = useSize();
  const addressOf = useContext(FileAddress);
  const { mediaType } = file;
  const name = file.name ?? mediaType;
  const url =
    file.attachmentId === undefined ? `data:${mediaType};base64,${file.data}` : addressOf(file.attachmentId);
  if (/^image\/(png|jpeg|gif|webp)$/.test(mediaType))
    return (
      <a
        data-image=""
        className="block rounded-control"
        href={url}
        target="_blank"
        rel="noreferrer"
        aria-label={t("open", { name })}
      >
        {/* biome-ignore lint/performance/noImgElement: files of people are not for an optimiser on the way */}
        <img
          src={url}
          alt={alt}
          loading="lazy"
          className="max-h-60 max-w-[min(100%,320px)] rounded-control border border-rule object-contain"
        />
      </a>
    );
  if (/^audio\//.test(mediaType))
    // biome-ignore lint/a11y/useMediaCaption: a tool sends no captions
    return <audio controls src={url} aria-label={name} />;
  return (
    <a
      className={cn(chipLook, "border-rule-2 hover:bg-paper-3 hover:text-ink")}
      href={file.attachmentId === undefined ? `data:application/octet-stream;base64,${file.data}` : url}
      download={name}
      title={t("download", { name })}
    >
      <Icon name="attach" size={12} />
      <span className={chipNameLook}>{name}</span>
      {file.attachmentId !== undefined && <span className={chipSizeLook}>{size(file.size)}</span>}
    </a>
  );
}

export const chipLook =
  "inline-flex min-h-7 max-w-full items-center gap-1.5 rounded-chip border px-2 text-mach text-ink-2";
export const chipNameLook = "max-w-65 truncate";
export const chipSizeLook = "whitespace-nowrap text-ink-3";
