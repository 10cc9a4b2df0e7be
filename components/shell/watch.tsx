"use client";

import { useEffect } from "react";
import RunAlerts, { type RunAlertsProps } from "@/components/notifications/run-alerts";
import { loadedTitles } from "@/lib/client/conversation/use-conversation";
import { keepLine } from "@/lib/client/http/line";
import { Unreachable } from "./unreachable";

export type WatchProps = RunAlertsProps;

/** For as long as the page is open. */
export default function Watch(props: WatchProps) {
  useEffect(keepWorker, []);
  useEffect(() => keepLine(), []);
  useEffect(sayWhatIsLoaded, []);
  // So that a conversation can be opened and searched when no server answers any more.
  useEffect(fetchWhatReadingNeeds, []);
  return (
    <>
      <RunAlerts {...props} />
      <Unreachable />
    </>
  );
}

/** Where the browser has workers at all: not on an address without HTTPS, except on this machine. */
function keepWorker(): void {
  if (process.env.NODE_ENV !== "production" || !("serviceWorker" in navigator)) return;
  // Without it the browser says in its own words that no server answers.
  navigator.serviceWorker.register("/sw.js", { updateViaCache: "none" }).catch(() => {});
}

/** The page that says that no server answers shows what other tabs still hold. */
function sayWhatIsLoaded(): (() => void) | undefined {
  if (typeof BroadcastChannel === "undefined") return undefined;
  const channel = new BroadcastChannel("meguri.loaded");
  channel.onmessage = ({ data }) => data?.ask === true && channel.postMessage({ titles: loadedTitles() });
  return () => channel.close();
}

function fetchWhatReadingNeeds(): void {
  import("./reading-needs").catch(() => {});
}
