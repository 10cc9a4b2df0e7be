"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { latePart, useLatePart } from "@/components/ui/late-part";
import type { LightboxProps } from "@/components/ui/layers/lightbox";
import { useSize } from "@/components/ui/words/use-size";
import type { FilePart as File } from "@/lib/protocol/message";
import type { FilePreviewProps } from "./file-preview";

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
  if (/^image\/(png|jpeg|gif|webp)$/.test(mediaType)) return <Image url={url} alt={alt} name={name} />;
  if (/^audio\//.test(mediaType))
    // biome-ignore lint/a11y/useMediaCaption: a tool sends no captions
    return <audio controls src={url} aria-label={name} />;
  const chip = (
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
  const hasText = file.attachmentId !== undefined && file.characters !== undefined;
  return hasText ? (
    <Openable name={name} address={url} mediaType={mediaType}>
      {chip}
    </Openable>
  ) : (
    chip
  );
}

const lightbox = latePart<LightboxProps>(() => import("@/components/ui/layers/lightbox"));

/** An image that opens in front of the page, with the others of its turn; without a script in a tab of its own. */
function Image({ url, alt, name }: { url: string; alt: string; name: string }) {
  const t = useTranslations("chat.file");
  const [shown, setShown] = useState<Omit<LightboxProps, "onClose"> | null>(null);
  const Lightbox = useLatePart(lightbox, shown !== null, () => window.open(url, "_blank", "noreferrer"));
  return (
    <>
      <a
        data-image=""
        className="block rounded-control"
        href={url}
        target="_blank"
        rel="noreferrer"
        aria-label={t("open", { name })}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          setShown(imagesBeside(event.currentTarget));
        }}
      >
        {/* biome-ignore lint/performance/noImgElement: files of people are not for an optimiser on the way */}
        <img
          src={url}
          alt={alt}
          loading="lazy"
          className="max-h-60 max-w-[min(100%,320px)] rounded-control border border-rule object-contain"
        />
      </a>
      {Lightbox && shown && <Lightbox {...shown} onClose={() => setShown(null)} />}
    </>
  );
}

function imagesBeside(link: Element): Omit<LightboxProps, "onClose"> {
  const links = [...(link.closest("article") ?? link).querySelectorAll("a[data-image]")];
  const all = links.length > 0 ? links : [link];
  return {
    first: Math.max(0, all.indexOf(link)),
    images: all.flatMap((one) => {
      const image = one.querySelector("img");
      return image ? { src: image.src, alt: image.alt } : [];
    }),
  };
}

const preview = latePart<FilePreviewProps>(() => import("./file-preview"));

interface OpenableProps extends FilePreviewProps {
  name: string;
  children: ReactNode;
}

/** A file with text in it: to download, and to read in its place. */
function Openable({ name, children, ...file }: OpenableProps) {
  const t = useTranslations("chat.file");
  const [isOpen, setOpen] = useState(false);
  const Preview = useLatePart(preview, isOpen);
  return (
    <div className="min-w-0 max-w-full">
      <span className="inline-flex max-w-full items-center">
        {children}
        <IconButton
          icon={isOpen ? "chevronDown" : "chevronRight"}
          iconSize={12}
          label={t(isOpen ? "hide" : "show", { name })}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </span>
      {Preview && <Preview {...file} />}
    </div>
  );
}

export const chipLook =
  "inline-flex min-h-7 min-w-0 max-w-full items-center gap-1.5 rounded-chip border px-2 text-mach text-ink-2";
export const chipNameLook = "max-w-65 truncate";
export const chipSizeLook = "whitespace-nowrap text-ink-3";
