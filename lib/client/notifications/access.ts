import { useSyncExternalStore } from "react";

/**
 * Whether this browser shows notifications: as the person has said (`default`: was not asked yet), or why it cannot.
 * `insecure`: the address is neither HTTPS nor this machine's own. `missing`: it has none for a page that is open.
 */
export type NotificationAccess = NotificationPermission | "insecure" | "missing";

/** A browser can have the interface and refuse to make one; most on phones do. */
let isRefused = false;
const listeners = new Set<() => void>();

export function readAccess(): NotificationAccess {
  if (!window.isSecureContext) return "insecure";
  if (isRefused || !("Notification" in window)) return "missing";
  return Notification.permission;
}

/** Has the browser ask the person; only after they have pressed something that says so. */
export async function askForAccess(): Promise<NotificationAccess> {
  if (readAccess() === "default" && canMakeOne()) await Notification.requestPermission();
  for (const listener of listeners) listener();
  return readAccess();
}

/** Undefined where this browser refuses to make one after all. */
export function makeNotification(title: string, options: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options);
  } catch {
    isRefused = true;
    for (const listener of listeners) listener();
    return undefined;
  }
}

export function useAccess(): NotificationAccess {
  return useSyncExternalStore(subscribe, readAccess, () => "default");
}

/** Without the permission nothing is shown; what matters is whether it throws. */
const canMakeOne = () => {
  const tried = makeNotification("Meguri", { silent: true });
  tried?.close();
  return tried !== undefined;
};

/** Who has changed it in the browser's own settings comes back to the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("focus", listener);
  document.addEventListener("visibilitychange", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("focus", listener);
    document.removeEventListener("visibilitychange", listener);
  };
}
