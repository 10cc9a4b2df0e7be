"use client";

import { useRef } from "react";
import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { fileKinds } from "@/lib/client/conversation/attachments";
import type { Attachments } from "./use-attachments";

export function AttachButton({ files }: { files: Attachments }) {
  const t = useTranslations("chat.file");
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon="attach"
        label={t("attach")}
        tipSide="left-edge"
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={fileKinds}
        onChange={({ target }) => {
          files.add([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </>
  );
}
