"use client";

import { useRef } from "react";
import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
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
        accept="image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,.md,.csv,.json,.yaml,.yml,.toml,.xml,.log,.ts,.tsx,.js,.py,.rs,.go,.java,.c,.h,.cpp,.sql,.sh"
        onChange={({ target }) => {
          files.add([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </>
  );
}
