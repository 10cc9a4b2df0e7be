import type { Store } from "@/lib/store/ports";

/** A person with a password and a session, as the library writes them. */
export async function addPerson(
  store: Store,
  id: string,
  more: { role?: "admin"; founder?: 1; unfinished?: true } = {},
): Promise<void> {
  const { db } = store.accounts.database;
  const at = new Date().toISOString();
  const times = { created_at: at, updated_at: at };
  await db
    .insertInto("account_user")
    .values({
      ...{ id, name: id, email: `${id}@example.com`, email_verified: 0, image: null, ...times },
      ...{ role: more.role ?? "member", disabled: 0, founder: more.founder ?? null, last_seen_at: null },
    })
    .execute();
  if (more.unfinished) return;
  const none = { access_token: null, refresh_token: null, id_token: null, scope: null };
  await db
    .insertInto("account_credential")
    .values({
      ...{ id: `c-${id}`, account_id: id, provider_id: "credential", user_id: id, password: "x", ...times },
      ...{ ...none, access_token_expires_at: null, refresh_token_expires_at: null },
    })
    .execute();
  await db
    .insertInto("account_session")
    .values({
      ...{ id: `s-${id}`, token: `t-${id}`, user_id: id, ip_address: null, user_agent: null, ...times },
      ...{ expires_at: new Date(Date.now() + 60_000).toISOString(), last_seen_at: null },
    })
    .execute();
}
