import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { Account, SessionItem } from "@/lib/protocol/accounts";
import type { Page } from "@/lib/protocol/http";

const post = <Answer>(path: string, body: object) => api<Answer>(path, { method: "POST", body });

export async function signIn(email: string, password: string): Promise<void> {
  const { id } = await post<Account>("/api/auth/sign-in/email", { email, password });
  takeBrowser(id);
}

export async function signUp(fields: {
  name: string;
  email: string;
  password: string;
  invitation?: string;
}): Promise<void> {
  const { id } = await post<Account>("/api/auth/sign-up/email", fields);
  takeBrowser(id);
}

const prefix = "meguri.";
const ownerKey = `${prefix}account`;

/** What is kept in this browser, such as drafts, is of one person: it goes where another one signs in. */
function takeBrowser(id: string): void {
  try {
    if (localStorage.getItem(ownerKey) === id) return;
    for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name);
    localStorage.setItem(ownerKey, id);
  } catch {
    // Where nothing is kept, nothing is left.
  }
}

/** `token`: of the link that an admin has made. */
export const setNewPassword = (token: string, password: string) =>
  post("/api/auth/reset-password", { token, password });

/** Every other browser is signed out by it. */
export async function changePassword(current: string, password: string): Promise<void> {
  await post("/api/auth/change-password", { current, password });
  await sessions.refresh({ tell: true });
}

const sessions = new LiveStore<Page<SessionItem>>({
  name: "sessions",
  load: () => api<Page<SessionItem>>("/api/sessions"),
  pace: () => 60_000,
});

export function useSessions(): Live<Page<SessionItem>> {
  return useLive(sessions);
}

export const refreshSessions = (): Promise<void> => sessions.refresh({ tell: true });

/** Signs out one browser, or without an id all but this one. */
export async function endSessions(id?: string): Promise<void> {
  await api(id === undefined ? "/api/sessions" : `/api/sessions/${id}`, { method: "DELETE" });
  await refreshSessions();
}
