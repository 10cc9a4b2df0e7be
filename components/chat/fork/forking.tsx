"use client";

import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { type AnswerForker, Forker, type ForkPlaceProps } from "@/components/chat/turn/fork-context";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { LoadFailed } from "@/components/ui/load-failed";
import { Skeleton } from "@/components/ui/skeleton";

const panel = latePart<ForkPlaceProps>(() => import("./fork-panel"));

/** Whose answers can be forked. */
export function Forking({ fork, children }: { fork: AnswerForker["fork"]; children: ReactNode }) {
  const forker = useMemo<AnswerForker>(() => ({ fork, Place: ForkPlace }), [fork]);
  return <Forker value={forker}>{children}</Forker>;
}

/** The place of the panel, until it has come. */
export function ForkPlace(props: ForkPlaceProps) {
  const t = useTranslations("chat.fork");
  const common = useTranslations("common");
  const [isMissing, setMissing] = useState(false);
  const Panel = useLatePart(
    panel,
    !isMissing,
    useCallback(() => setMissing(true), []),
  );
  if (isMissing) return <LoadFailed text={t("unavailable")} onRetry={() => setMissing(false)} />;
  if (Panel) return <Panel {...props} />;
  return <Skeleton lines={9} label={common("loading")} />;
}
