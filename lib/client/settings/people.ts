import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { InvitationItem, NewInvitation, PersonItem, Role } from "@/lib/protocol/accounts";
import type { Page } from "@/lib/protocol/http";
import type { LimitsPatch } from "@/lib/protocol/person-limits";

/** So many pages of a list are read; a larger house is not shown whole. */
const maxPages = 10;

const people = new LiveStore<PersonItem[]>({ name: "people", load: loadPeople, pace: () => 60_000 });

const invitations = new LiveStore<Page<InvitationItem>>({
  name: "invitations",
  load: () => api<Page<InvitationItem>>("/api/invitations"),
  pace: () => 60_000,
});

async function loadPeople(): Promise<PersonItem[]> {
  const all: PersonItem[] = [];
  let cursor: string | null = "";
  for (let page = 0; page < maxPages && cursor !== null; page++) {
    const more: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const { items, nextCursor }: Page<PersonItem> = await api(`/api/users?limit=200${more}`);
    all.push(...items);
    cursor = nextCursor;
  }
  return all;
}

export function usePeople(): Live<PersonItem[]> {
  return useLive(people);
}

export function useInvitations(): Live<Page<InvitationItem>> {
  return useLive(invitations);
}

export const refreshPeople = (): Promise<void> => people.refresh({ tell: true });
export const refreshInvitations = (): Promise<void> => invitations.refresh({ tell: true });

export async function changePerson(
  id: string,
  patch: { role?: Role; disabled?: boolean; limits?: LimitsPatch },
): Promise<void> {
  try {
    await api(`/api/users/${id}`, { method: "PATCH", body: patch });
  } finally {
    await refreshPeople();
  }
}

/** With everything that is theirs, finally. */
export async function deletePerson(id: string): Promise<void> {
  try {
    await api(`/api/users/${id}`, { method: "DELETE" });
  } finally {
    await Promise.all([refreshPeople(), refreshInvitations()]);
  }
}

/** The address where this person sets a new password; it is not shown again. */
export const makeResetLink = (id: string): Promise<{ url: string }> =>
  api(`/api/users/${id}/reset`, { method: "POST", body: {} });

/** Its address is not shown again. */
export async function invite(fields: { email?: string; role: Role }): Promise<NewInvitation> {
  const made = await api<NewInvitation>("/api/invitations", { method: "POST", body: fields });
  await refreshInvitations();
  return made;
}

export async function withdrawInvitation(id: string): Promise<void> {
  try {
    await api(`/api/invitations/${id}`, { method: "DELETE" });
  } finally {
    await refreshInvitations();
  }
}
