"use client";

import { useContext } from "react";
import { useTranslations } from "use-intl";
import { chipLook, chipNameLook, chipSizeLook, FileAddress } from "@/components/chat/parts/file-part";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { useSentence } from "@/components/ui/words/sentences";
import { useSize } from "@/components/ui/words/use-size";
import { useModels } from "@/lib/client/conversation/models";
import type { Attachments, DraftFile } from "./use-attachments";
import type { SendChoices } from "./use-send-options";

export interface AttachedFilesProps {
  files: Attachments;
  options: SendChoices;
}

/** The files beside the message, above its text. */
export default function AttachedFiles({ files, options }: AttachedFilesProps) {
  const t = useTranslations("chat.file");
  const blind = useBlindModel(files.items, options);
  return (
    <div className="px-2.5 pt-2">
      <ul aria-label={t("attached")} className="flex max-h-[132px] flex-wrap gap-1.5 overflow-y-auto">
        {files.items.map((item) => (
          <Chip key={item.key} item={item} onRemove={() => files.remove(item.key)} />
        ))}
      </ul>
      {blind && <p className="px-1 pt-1 meta">{t("blind", { model: blind })}</p>}
    </div>
  );
}

function Chip({ item, onRemove }: { item: DraftFile; onRemove(): void }) {
  const t = useTranslations("chat.file");
  const inWords = useSentence();
  const size = useSize();
  const addressOf = useContext(FileAddress);
  const { name, stored, failure, progress } = item;
  const isImage = stored?.mediaType.startsWith("image/");
  const known = failure?.code === "too_large" || failure?.code === "too_many" || failure?.code === "offline";
  return (
    <li className={cn(chipLook, failure ? "border-shu" : "border-rule-2")}>
      {stored && isImage ? (
        // biome-ignore lint/performance/noImgElement: files of people are not for an optimiser on the way
        <img src={addressOf(stored.attachmentId)} alt="" className="size-6 rounded-chip object-cover" />
      ) : (
        <Icon name="attach" size={12} />
      )}
      {/* A sentence of the server begins with the name. */}
      {(!failure || known) && <span className={chipNameLook}>{name}</span>}
      {failure ? (
        <span className="text-shu" role="alert">
          {known ? t(`failure.${failure.code as "too_large"}`) : inWords(failure.message)}
        </span>
      ) : stored ? (
        <span className={chipSizeLook}>{size(item.size)}</span>
      ) : (
        <progress
          className="h-1 w-14 appearance-none overflow-hidden rounded-[2px] bg-rule-2 [&::-moz-progress-bar]:bg-ink [&::-webkit-progress-bar]:bg-rule-2 [&::-webkit-progress-value]:bg-ink"
          max={1}
          value={progress}
          aria-label={t("sending", { name })}
        />
      )}
      <IconButton
        icon="cross"
        iconSize={12}
        className="-mr-1.5 h-6 w-6 phone:h-6 phone:w-6"
        label={t("remove", { name })}
        onClick={onRemove}
      />
    </li>
  );
}

/** The name of the chosen model when there is an image that it does not say it can see. */
function useBlindModel(items: readonly DraftFile[], { model }: SendChoices): string | undefined {
  const { data } = useModels();
  if (!items.some(({ mediaType }) => mediaType.startsWith("image/"))) return undefined;
  const chosen = data?.items.find(({ id }) => id === (model ?? data.defaultModel));
  return chosen && !chosen.capabilities.images ? chosen.name : undefined;
}
