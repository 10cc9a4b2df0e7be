import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { Account, SessionItem } from "@/lib/protocol/accounts";
import type { Page } from "@/lib/protocol/http";

const post = <Answer>(path: string, body: object) => api<Answer>(path, { method: "POST", body });

export const signIn = (email: string, password: string) =>
  post<Account>("/api/auth/sign-in/email", { email, password });

export const signUp = (fields: { name: string; email: string; password: string; invitation?: string }) =>
  post<Account>("/api/auth/sign-up/email", fields);

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
