"use client";

import { lazy, Suspense, useState } from "react";
import { useTranslations } from "use-intl";
import { CallArguments, type EditedArguments } from "@/components/chat/cards/call-arguments";
import { Button } from "@/components/ui/controls/button";

const JsonArguments = lazy(() => import("@/components/chat/cards/json-arguments"));

/** Line by line, or all as JSON: the fields of a question. */
export function ArgumentsEdit({ args }: { args: EditedArguments }) {
  const t = useTranslations("chat.card.json");
  const [isJson, setJson] = useState(false);
  return (
    <>
      {isJson ? (
        <Suspense fallback={<p className="meta">…</p>}>
          <JsonArguments args={args} />
        </Suspense>
      ) : (
        // Its rules are those of a card that asks.
        <div className="[&>div]:[--line:var(--rule)]">
          <CallArguments args={args} />
        </div>
      )}
      {/* What cannot be read would be lost in the other form. */}
      <p className="flex justify-end">
        <Button small tone="quiet" disabled={args.isBroken} onClick={() => setJson(!isJson)}>
          {t(isJson ? "lines" : "edit")}
        </Button>
      </p>
    </>
  );
}
