import { onTestFinished } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import { ask } from "@/lib/store/testing/postgres-server";
import { openTightStore } from "@/lib/store/testing/tight-store";

/**
 * Gives the application an empty store on a full disk until the test ends; with PostgreSQL its own store, with room for five more
 * conversations. Returns what makes room.
 */
export async function fillDisk(file: "records" | "log"): Promise<() => Promise<void>> {
  if (process.env.DATABASE_URL) return refuseAsFull(process.env.DATABASE_URL);
  const deps = await getDeps();
  const own = deps.store;
  const { store, makeRoom } = await openTightStore(file);
  deps.store = store;
  onTestFinished(async () => {
    deps.store = own;
    await store.close();
  });
  return makeRoom;
}

/** As PostgreSQL refuses what its disk has no room for. */
async function refuseAsFull(url: string): Promise<() => Promise<void>> {
  await ask(
    url,
    `create sequence room_left maxvalue 6 cycle;
     create function refuse_as_full() returns trigger language plpgsql as $$ begin
       if nextval('room_left') > 5 then
         perform setval('room_left', 5);
         raise 'could not extend file "base/1/2": No space left on device' using errcode = '53100';
       end if;
       return new;
     end $$;
     create trigger full_disk before insert on conversation for each row execute function refuse_as_full()`,
  );
  const makeRoom = async () =>
    void (await ask(
      url,
      "drop trigger if exists full_disk on conversation; drop function if exists refuse_as_full; drop sequence if exists room_left",
    ));
  onTestFinished(makeRoom);
  return makeRoom;
}
