"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { Dialog } from "./dialog";

export interface LightboxImage {
  src: string;
  alt: string;
}

export interface LightboxProps {
  images: readonly LightboxImage[];
  first: number;
  onClose(): void;
}

/** Images in front of the page, one at a time: as large as the window allows, or larger and scrolled. */
export default function Lightbox({ images, first, onClose }: LightboxProps) {
  const t = useTranslations("common.lightbox");
  const common = useTranslations("common");
  const [at, setAt] = useState(first);
  const [isZoomed, setZoomed] = useState(false);
  const image = images[at];
  const go = (step: number) => {
    setZoomed(false);
    setAt((at + step + images.length) % images.length);
  };
  if (!image) return null;
  return (
    <Dialog
      title={image.alt}
      width={4_000}
      closeLabel={common("close")}
      onClose={onClose}
      className="h-[calc(100dvh-48px)] [&_h2]:truncate [&_h2]:text-mach"
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrows are keys of the buttons beside the image */}
      <div
        className="flex h-full min-h-0 flex-col gap-2"
        onKeyDown={(event) => {
          const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
          if (step === undefined || images.length < 2 || isZoomed) return;
          event.preventDefault();
          go(step);
        }}
      >
        <div
          className={cn("grid min-h-0 flex-1 overflow-auto", isZoomed ? "" : "place-items-center")}
          tabIndex={isZoomed ? 0 : undefined}
        >
          {/* biome-ignore lint/performance/noImgElement: files of people are not for an optimiser on the way */}
          <img
            src={image.src}
            alt={image.alt}
            className={isZoomed ? "max-w-none min-w-[200%]" : "size-full min-h-0 object-contain"}
          />
        </div>
        <div className="flex flex-none items-center justify-center gap-2">
          {images.length > 1 && (
            <>
              <IconButton icon="chevronLeft" label={t("previous")} onClick={() => go(-1)} />
              <span className="meta" role="status">
                {t("place", { at: at + 1, count: images.length })}
              </span>
              <IconButton icon="chevronRight" label={t("next")} onClick={() => go(1)} />
            </>
          )}
          <TextButton className="my-auto" aria-pressed={isZoomed} onClick={() => setZoomed(!isZoomed)}>
            {t(isZoomed ? "fit" : "zoom")}
          </TextButton>
        </div>
      </div>
    </Dialog>
  );
}
