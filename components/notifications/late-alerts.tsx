"use client";

import { useEffect, useState } from "react";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { isLookedAt } from "@/lib/client/notifications/tabs-of-browser";
import { hearDeletion } from "@/lib/client/transfer/deletion";
import type { RunAlertsProps } from "./run-alerts";

const runAlerts = latePart<RunAlertsProps>(() => import("./run-alerts"));

/** Long after the first view; a tab that is left earlier needs it at once. */
const restMs = 5_000;
// A new version was installed meanwhile: this page tells nothing any more.
const ignore = () => {};

/** Tells of runs that end while nobody looks, in every tab that is signed in. */
export function LateAlerts() {
  const [start, begin] = useState<RunAlertsProps>();
  useEffect(() => {
    const wasLookedAt = isLookedAt();
    const now = () => begin((before) => before ?? { wasLookedAt });
    const timer = setTimeout(now, wasLookedAt ? restMs : 0);
    window.addEventListener("blur", now);
    document.addEventListener("visibilitychange", now);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("blur", now);
      document.removeEventListener("visibilitychange", now);
    };
  }, []);
  // Another tab has deleted everything: nothing that is shown here is there any more. A tab must not miss it.
  useEffect(() => hearDeletion(() => window.location.replace("/")), []);
  const RunAlerts = useLatePart(runAlerts, start !== undefined, ignore);
  return RunAlerts && start && <RunAlerts {...start} />;
}
