import { api } from "@/lib/client/http/http";
import { confirmDeletion } from "@/lib/protocol/data";

const channelName = "meguri.deleted";
const prefix = "meguri.";
/** What this browser remembers of how it is set up. */
const kept = ["meguri.notifications"];
/** This page has asked for it and goes on by itself. */
let isOurs = false;

/** Deletes everything on the server, and what this browser remembers of it: drafts, folded folders. Other tabs hear of it. */
export async function deleteEverything(): Promise<void> {
  await api("/api/data/delete", { method: "POST", body: { confirm: confirmDeletion } });
  isOurs = true;
  forget();
  const channel = open();
  channel?.postMessage("deleted");
  channel?.close();
}

/** Is told when another tab has deleted everything; returns how to stop. */
export function hearDeletion(listener: () => void): () => void {
  const channel = open();
  if (channel) channel.onmessage = () => !isOurs && listener();
  return () => channel?.close();
}

function forget(): void {
  try {
    for (const name of Object.keys(localStorage))
      if (name.startsWith(prefix) && !kept.includes(name)) localStorage.removeItem(name);
  } catch {
    // Without storage nothing is remembered.
  }
}

const open = () => (typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(channelName));
