"use client";

import { useEffect, useState } from "react";
import { latePart, useLatePart } from "@/components/ui/late-part";

const notificationOffer = latePart(() => import("./notification-offer"));

/** By then a person may well turn to something else. */
const longMs = 30_000;
const ignore = () => {};

/** Offers notifications beside a run that has been going on for long. */
export function LateOffer({ runId }: { runId: string | null }) {
  const [longId, setLongId] = useState<string | null>(null);
  useEffect(() => {
    if (runId === null) return;
    const timer = setTimeout(() => setLongId(runId), longMs);
    return () => clearTimeout(timer);
  }, [runId]);
  const Offer = useLatePart(notificationOffer, runId !== null && longId === runId, ignore);
  return Offer && <Offer />;
}
