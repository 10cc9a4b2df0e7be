import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Retention } from "@/lib/protocol/data";
import { type Env, readEnv, StartError } from "@/lib/server/env";
import { localUser } from "@/lib/server/ids";
import type { PersonRow } from "@/lib/store/account-ports";
import { openStore } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";

type Variables = Readonly<Record<string, string | undefined>>;

/** Makes what was written with `AUTH=local` this person's; gives the lines to print. Throws StartError and what `openStore` throws. */
export async function adopt(variables: Variables, email: string | undefined): Promise<string[]> {
  if (!email)
    throw new StartError("Say whose it is to be: npm run adopt -- <e-mail address of their account>.");
  const store = await openStoreThere(readEnv(variables));
  try {
    // Who has not come to the end of signing up is deleted at the next start.
    await store.accounts.deleteUnfinished();
    const person = await store.accounts.byEmail(email);
    if (!person)
      throw new StartError(
        `There is no account with the address ${email}. Start with AUTH=accounts and make it, with the printed address or an invitation; then stop Meguri and run this again.`,
      );
    await checkRetention(store, person);
    const { conversations, left } = await store.accounts.adopt(localUser, person.id);
    return [
      `${conversations} conversations, and all else that was written with AUTH=local, are now those of ${person.email}.`,
      ...(left.length > 0
        ? [
            `Settings that they have already stay theirs. Those of AUTH=local are kept, and are there again with it: ${left.join(", ")}.`,
          ]
        : []),
    ];
  } finally {
    await store.close();
  }
}

/**
 * Never makes a folder where the data are in it: a wrong DATA_DIR would seem to hold nothing. For commands that change
 * everything: what a newer version keeps they would leave out.
 */
export function openStoreThere({
  DATA_DIR: dataDir,
  DATABASE_URL: databaseUrl,
}: Pick<Env, "DATA_DIR" | "DATABASE_URL">): Promise<Store> {
  if (databaseUrl === undefined && !existsSync(join(dataDir, "meguri.db")))
    throw new StartError(
      `DATA_DIR ${dataDir} holds no data of Meguri; set DATA_DIR to the folder that it is started with.`,
    );
  return openStore({ dataDir, databaseUrl, isExact: true, onProgress: console.log });
}

/** The next start would delete what is older. */
async function checkRetention({ settings }: Store, { id, email }: PersonRow): Promise<void> {
  const daysOf = async (userId: string) =>
    (await settings.get<Retention>(userId, "retention"))?.days ?? Number.POSITIVE_INFINITY;
  const [theirs, local] = [await daysOf(id), await daysOf(localUser)];
  if (theirs < local)
    throw new StartError(
      `Conversations of ${email} are deleted after ${theirs} days, and older ones would go at the next start. Turn that off in Settings → Data of that account first.`,
    );
}
