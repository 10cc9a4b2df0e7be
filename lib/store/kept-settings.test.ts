import { expect, test } from "vitest";
import { askStored, openTempStore, tempDir } from "./testing/temp-store";

test("people and all that they sign in with are there after everything was deleted", async () => {
  const dataDir = tempDir();
  const store = await openTempStore({ dataDir });
  const ask = (statement: string) => askStored(dataDir, "records", statement);
  const day = "'2026-01-01T00:00:00.000Z'";
  await ask(
    `insert into account_user (id, name, email, email_verified, created_at, updated_at, role, disabled)
    values ('ann', 'Ann', 'ann@localhost', 1, ${day}, ${day}, 'admin', 0)`,
  );
  await ask(
    `insert into account_passkey (id, name, public_key, user_id, credential_id, counter, device_type, backed_up, created_at)
    values ('p1', 'Key', 'k', 'ann', 'c1', 4294967295, 'singleDevice', 0, ${day})`,
  );
  await store.empty();
  expect(await store.passkeys.list("ann")).toMatchObject([{ id: "p1", name: "Key" }]);
});
