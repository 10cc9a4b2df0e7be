"use client";

import { useEffect, useState } from "react";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { isLookedAt } from "@/lib/client/notifications/tabs-of-browser";
import { hearDeletion } from "@/lib/client/transfer/deletion";
import type { WatchProps } from "./watch";

const watch = latePart<WatchProps>(() => import("./watch"));

/** Long after the first view; a tab that is left earlier needs it at once. */
const restMs = 5_000;
// A new version was installed meanwhile, or no server answers: this page tells nothing any more.
const ignore = () => {};

/** What watches in every tab that is signed in: for runs that end while nobody looks, and for a server that cannot be reached. */
export function LateWatch() {
  const [start, begin] = useState<WatchProps>();
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
  const Watch = useLatePart(watch, start !== undefined, ignore);
  return Watch && start && <Watch {...start} />;
}
