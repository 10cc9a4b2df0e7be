"use client";

import { type Ref, useState } from "react";
import { useTranslations } from "use-intl";
import { ShownOnce } from "@/components/settings/shown-once";
import { Button } from "@/components/ui/controls/button";
import { useGap } from "@/components/ui/words/use-gap";
import type { NewApiToken } from "@/lib/protocol/api-tokens";
import { TokenDialog } from "./token-dialog";

/** Asks what the token is for, and shows it once. */
export function NewToken({ ref }: { ref: Ref<HTMLButtonElement> }) {
  const t = useTranslations("settings.tokens");
  const gap = useGap();
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<NewApiToken>();
  return (
    <>
      <Button ref={ref} icon="plus" onClick={() => setAsking(true)}>
        {t("new")}
      </Button>
      {isAsking && (
        <TokenDialog
          onClose={() => setAsking(false)}
          onMade={(token) => {
            setAsking(false);
            setMade(token);
          }}
        />
      )}
      {made && (
        <ShownOnce
          title={made.name}
          note={
            <>
              {t.rich("madeNote", { code: (text) => <code>{text}</code> })}
              {mayChat(made) && (
                <>
                  {gap}
                  {t.rich("openAiNote", {
                    code: (text) => <code>{text}</code>,
                    url: `${location.origin}/v1`,
                  })}
                </>
              )}
            </>
          }
          label={t("value")}
          copyLabel={t("copy")}
          value={made.value}
          onClose={() => setMade(undefined)}
        />
      )}
    </>
  );
}

const mayChat = ({ scopes }: NewApiToken): boolean => scopes.includes("chat") || scopes.includes("admin");
