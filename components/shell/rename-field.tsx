"use client";

import { useTranslations } from "use-intl";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { changeConversation } from "@/lib/client/conversation/conversations";
import type { ConversationItem } from "@/lib/protocol/http";

export interface RenameFieldProps {
  item: ConversationItem;
  onDone(): void;
}

/** The name of a conversation as a field, in the place of its row. */
export default function RenameField({ item, onDone }: RenameFieldProps) {
  const t = useTranslations("shell");
  const errorText = useErrorText();
  const save = (title: string) => {
    onDone();
    if (title && title !== item.title)
      changeConversation(item.id, { title }).catch((error) => notifyFailure(errorText(error)));
  };
  return (
    <input
      // As high as the row, its first letter where the title was: nothing moves.
      className="ml-6 block h-7 w-[calc(100%-24px)] rounded-control border border-rule-2 bg-raised px-[7px] text-mach text-ink phone:h-11 phone:text-[16px]"
      aria-label={t("renameField")}
      defaultValue={item.title}
      maxLength={200}
      ref={(field) => field?.select()}
      onBlur={(event) => save(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") save(event.currentTarget.value.trim());
        if (event.key === "Escape") onDone();
      }}
    />
  );
}
