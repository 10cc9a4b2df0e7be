import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, test } from "vitest";
import type { SessionItem } from "@/lib/protocol/accounts";
import type { AuditItem } from "@/lib/protocol/audit";
import type { ErrorBody, Page } from "@/lib/protocol/http";
import type { PasskeyItem } from "@/lib/protocol/passkeys";
import { getDeps } from "@/lib/server/entry/deps";
import { type Ceremony, deviceCertificate, makePasskey, type TestPasskey } from "./testing/authenticator";
import { callApi, withApplication } from "./testing/call-api";
import { cookiesOf, join, password, signUp, stranger, type TestPerson, toPerson } from "./testing/people";
import { makeToken } from "./testing/tokens";

withApplication({}, { AUTH: "accounts" });

const local = { ...stranger, host: "localhost:3999", origin: "http://localhost:3999" };
const signInPath = "/api/auth/sign-in/passkey";

let admin: TestPerson;

beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
});

const code = async (response: Promise<Response> | Response) => {
  const answer = await response;
  return `${answer.status} ${((await answer.clone().json()) as ErrorBody).error?.code ?? ""}`.trim();
};

const passkeysOf = async (person: TestPerson) =>
  ((await (await person.call("GET", "/api/passkeys")).json()) as Page<PasskeyItem>).items;

/** A challenge, and the cookies of the browser that has asked for it. */
async function begin(path: string, headers: Record<string, string> = local) {
  const answer = await callApi("POST", `${path}/options`, {}, headers);
  expect(answer.status).toBe(200);
  const cookie = [headers.cookie, cookiesOf(answer)].filter(Boolean).join("; ");
  const options = (await answer.json()) as { challenge: string; [name: string]: unknown };
  return { challenge: options.challenge, options, headers: { ...local, cookie } };
}

async function add(person: TestPerson, changed: Partial<Parameters<typeof makePasskey>[0]> = {}) {
  const { challenge, headers } = await begin("/api/passkeys", person.headers);
  const { passkey, response } = makePasskey({ challenge, ...changed });
  const answer = await callApi("POST", "/api/passkeys", { name: "My laptop", response }, headers);
  return { passkey, answer, send: { response, headers } };
}

async function addTo(person: TestPerson): Promise<TestPasskey> {
  const { passkey, answer } = await add(person);
  expect(answer.status).toBe(201);
  return passkey;
}

async function signIn(
  passkey: TestPasskey,
  changed: Partial<Ceremony> & { counter?: number; as?: string } = {},
) {
  const { challenge, headers } = await begin(signInPath);
  const response = passkey.sign({ challenge, ...changed });
  return { answer: await callApi("POST", signInPath, { response }, headers), response, headers };
}

const audited = async (action: string) => {
  const { accounts } = await getDeps();
  await accounts?.audit.flush();
  const { items } = (await (await admin.call("GET", "/api/audit?limit=200")).json()) as Page<AuditItem>;
  return items.filter((item) => item.action === action).map(({ who, on }) => [who?.name ?? null, on]);
};

test("a passkey that was added signs its owner in, without an address, and both are in the audit log", async () => {
  const ben = await join(admin, "Ben");
  const { options } = await begin("/api/passkeys", ben.headers);
  expect(options).toMatchObject({
    rp: { id: "localhost", name: "Meguri" },
    user: { name: "ben@example.com" },
    attestation: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const passkey = await addTo(ben);
  expect(await passkeysOf(ben)).toEqual([
    { id: expect.any(String), name: "My laptop", createdAt: expect.any(String), lastUsedAt: null },
  ]);
  const asked = await begin(signInPath);
  expect(asked.options).toMatchObject({ rpId: "localhost", userVerification: "required" });
  expect(asked.options.allowCredentials).toBeUndefined();
  const { answer } = await signIn(passkey);
  expect(await answer.clone().json()).toEqual({
    ...{ id: ben.id, name: "Ben", email: "ben@example.com", role: "member" },
  });
  const again = await toPerson(answer);
  expect((await passkeysOf(again))[0]?.lastUsedAt).not.toBeNull();
  const { items } = (await (await again.call("GET", "/api/sessions")).json()) as Page<SessionItem>;
  expect(items).toHaveLength(2);
  expect(await audited("signIn.passkey_added")).toContainEqual(["Ben", "My laptop"]);
  expect(await audited("signIn.began_by_passkey")).toContainEqual(["Ben", "My laptop"]);
});

test("a session that the browser had ends with the new one", async () => {
  const cleo = await join(admin, "Cleo");
  const passkey = await addTo(cleo);
  const { challenge, headers } = await begin(signInPath, { ...local, cookie: cleo.headers.cookie });
  const answer = await callApi("POST", signInPath, { response: passkey.sign({ challenge }) }, headers);
  expect(answer.status).toBe(200);
  expect(await code(cleo.call("GET", "/api/sessions"))).toBe("401 unauthorized");
});

test("an answer counts once, in the browser that has asked, and for 5 minutes", async () => {
  const dan = await join(admin, "Dan");
  const passkey = await addTo(dan);
  const { answer, response, headers } = await signIn(passkey);
  expect(answer.status).toBe(200);
  expect(await code(callApi("POST", signInPath, { response }, headers))).toBe("403 challenge_over");
  // Of two at once one counts.
  const twice = await begin(signInPath);
  const body = { response: passkey.sign(twice) };
  const both = [1, 2].map(() => code(callApi("POST", signInPath, body, twice.headers)));
  expect((await Promise.all(both)).toSorted()).toEqual(["200", "403 challenge_over"]);
  // Of another browser: without the cookie, and with that of its own challenge.
  const [mine, other] = [await begin(signInPath), await begin(signInPath)];
  const stolen = { response: passkey.sign(mine) };
  expect(await code(callApi("POST", signInPath, stolen, local))).toBe("403 challenge_over");
  expect(await code(callApi("POST", signInPath, stolen, other.headers))).toBe("401 wrong_passkey");
  // The one that was made for adding is none for signing in.
  const adding = await begin("/api/passkeys", dan.headers);
  expect(await code(callApi("POST", signInPath, { response: passkey.sign(adding) }, adding.headers))).toBe(
    "403 challenge_over",
  );
  const late = await begin(signInPath);
  const { store } = await getDeps();
  await store.accounts.database.db
    .updateTable("account_verification")
    .set({ expires_at: new Date(Date.now() - 1).toISOString() })
    .execute();
  expect(await code(callApi("POST", signInPath, { response: passkey.sign(late) }, late.headers))).toBe(
    "403 challenge_over",
  );
  expect(await code(signIn(passkey).then((done) => done.answer))).toBe("200");
});

test("what another site, another name or a device without its owner has signed is refused, here as there", async () => {
  const eve = await join(admin, "Eve");
  const passkey = await addTo(eve);
  const wrong: Partial<Ceremony>[] = [
    { origin: "https://evil.example" },
    { origin: "http://127.0.0.1:3999" },
    { rpId: "evil.example" },
    { isVerified: false },
    { challenge: Buffer.alloc(32).toString("base64url") },
  ];
  for (const each of wrong) {
    expect(await code((await signIn(passkey, each)).answer), JSON.stringify(each)).toBe("401 wrong_passkey");
    expect(await code((await add(eve, each)).answer), JSON.stringify(each)).toBe("400 invalid_passkey");
  }
  expect(await passkeysOf(eve)).toHaveLength(1);
  expect(await code((await signIn(passkey)).answer)).toBe("200");
  expect(await audited("signIn.refused")).toContainEqual([null, "eve@example.com, wrong_passkey"]);
});

test("nobody comes in by the name of somebody else's passkey, nor by one that is not known", async () => {
  const [fay, gil] = [await join(admin, "Fay"), await join(admin, "Gil")];
  const [hers, his] = [await addTo(fay), await addTo(gil)];
  const forged = await signIn(his, { as: hers.id });
  const { passkey: unknown } = makePasskey({ challenge: "none" });
  const strange = await signIn(unknown);
  expect([await code(forged.answer), await code(strange.answer)]).toEqual([
    "401 wrong_passkey",
    "401 wrong_passkey",
  ]);
  expect(await forged.answer.text()).toBe(await strange.answer.text());
  expect(await audited("signIn.refused")).toContainEqual([null, "passkey, wrong_passkey"]);
  // A challenge of hers adds nothing for him, and a passkey of hers is not his as well.
  const { challenge, headers } = await begin("/api/passkeys", fay.headers);
  const { response } = makePasskey({ challenge });
  const [, cookie = ""] = headers.cookie.split(`${fay.headers.cookie}; `);
  const mixed = { ...local, cookie: `${gil.headers.cookie}; ${cookie}` };
  expect(await code(callApi("POST", "/api/passkeys", { name: "x", response }, mixed))).toBe(
    "403 challenge_over",
  );
  const own = await begin("/api/passkeys", gil.headers);
  const made = makePasskey({ challenge: own.challenge });
  const hersAgain = { ...made.response, id: hers.id, rawId: hers.id };
  expect(await code(callApi("POST", "/api/passkeys", { name: "x", response: hersAgain }, own.headers))).toBe(
    "409 exists",
  );
  expect(await passkeysOf(gil)).toHaveLength(1);
  const [item] = await passkeysOf(fay);
  expect(await code(gil.call("DELETE", `/api/passkeys/${item?.id}`))).toBe("404 not_found");
});

test("a copy of a device is found out by its counter", async () => {
  const hal = await join(admin, "Hal");
  const passkey = await addTo(hal);
  expect(await code((await signIn(passkey, { counter: 5 })).answer)).toBe("200");
  expect(await code((await signIn(passkey, { counter: 5 })).answer)).toBe("401 wrong_passkey");
  expect(await code((await signIn(passkey, { counter: 6 })).answer)).toBe("200");
});

test("a passkey that was removed opens nothing", async () => {
  const ida = await join(admin, "Ida");
  const passkey = await addTo(ida);
  const [item] = await passkeysOf(ida);
  const late = await begin(signInPath);
  expect(await code(ida.call("DELETE", `/api/passkeys/${item?.id}`))).toBe("200");
  expect(await code(callApi("POST", signInPath, { response: passkey.sign(late) }, late.headers))).toBe(
    "401 wrong_passkey",
  );
  expect(await audited("signIn.passkey_removed")).toContainEqual(["Ida", "My laptop"]);
});

test("who is switched off is told so, as with a password, and who is deleted is unknown", async () => {
  const jo = await join(admin, "Jo");
  const passkey = await addTo(jo);
  await admin.call("PATCH", `/api/users/${jo.id}`, { disabled: true });
  const refused = await (await signIn(passkey)).answer.text();
  const byPassword = callApi("POST", "/api/auth/sign-in/email", { email: jo.email, password }, local);
  expect(refused).toBe(await (await byPassword).text());
  expect(refused).toContain("switched off");
  await admin.call("PATCH", `/api/users/${jo.id}`, { disabled: false });
  expect(await code((await signIn(passkey)).answer)).toBe("200");
  await admin.call("DELETE", `/api/users/${jo.id}`);
  expect(await code((await signIn(passkey)).answer)).toBe("401 wrong_passkey");
});

test("a new password by an admin's link ends passkeys, one's own change of it does not", async () => {
  const kai = await join(admin, "Kai");
  const passkey = await addTo(kai);
  const next = "another long password";
  expect(
    await code(kai.call("POST", "/api/auth/change-password", { current: password, password: next })),
  ).toBe("200");
  expect(await code((await signIn(passkey)).answer)).toBe("200");
  const { url } = (await (await admin.call("POST", `/api/users/${kai.id}/reset`, {})).json()) as {
    url: string;
  };
  expect(await code((await signIn(passkey)).answer)).toBe("200");
  const token = new URL(url).searchParams.get("reset");
  await callApi("POST", "/api/auth/reset-password", { token, password }, stranger);
  expect(await code((await signIn(passkey)).answer)).toBe("401 wrong_passkey");
});

test("a passkey is added within an hour of a sign-in, by a person in a browser", async () => {
  const lea = await join(admin, "Lea");
  const { challenge, headers } = await begin("/api/passkeys", lea.headers);
  const { store } = await getDeps();
  await store.accounts.database.db
    .updateTable("account_session")
    .set({ created_at: new Date(Date.now() - 61 * 60_000).toISOString() })
    .where("user_id", "=", lea.id)
    .execute();
  const { response } = makePasskey({ challenge });
  expect([
    await code(lea.call("POST", "/api/passkeys/options", {})),
    await code(callApi("POST", "/api/passkeys", { name: "x", response }, headers)),
  ]).toEqual(["403 sign_in_again", "403 sign_in_again"]);
  expect(await code(callApi("POST", "/api/passkeys/options", {}, local))).toBe("401 unauthorized");
  const program = await makeToken(admin, ["admin"]);
  expect(await code(program.call("POST", "/api/passkeys/options", {}))).toBe("403 not_by_token");
});

test("a person has 20 passkeys, also when several are added at once", async () => {
  const mia = await join(admin, "Mia");
  for (let at = 0; at < 19; at++) await addTo(mia);
  const begun = [await begin("/api/passkeys", mia.headers), await begin("/api/passkeys", mia.headers)];
  const added = begun.map(({ challenge, headers }) =>
    code(
      callApi("POST", "/api/passkeys", { name: "x", response: makePasskey({ challenge }).response }, headers),
    ),
  );
  expect((await Promise.all(added)).toSorted()).toEqual(["201", "409 too_many"]);
  expect(await code(mia.call("POST", "/api/passkeys/options", {}))).toBe("409 too_many");
});

test("a certificate of a device is not looked at, so that the server fetches nothing that it names", async () => {
  const ned = await join(admin, "Ned");
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { answer } = await add(ned, { certificate: deviceCertificate(port) });
  expect(await answer.json()).toMatchObject({ error: { code: "invalid_passkey" } });
  expect(asked).toBe(0);
  server.close();
});

test("10 wrong answers of one passkey have it wait", async () => {
  const pia = await join(admin, "Pia");
  const passkey = await addTo(pia);
  for (let at = 0; at < 10; at++) await signIn(passkey, { origin: "https://evil.example" });
  expect(await code((await signIn(passkey)).answer)).toBe("429 too_many_attempts");
});

test("of strangers no more challenges are kept than so many", async () => {
  const { store } = await getDeps();
  const { db } = store.accounts.database;
  const times = { created_at: new Date().toISOString(), updated_at: new Date().toISOString() };
  const row = { value: "{}", ...times };
  const until = (ms: number) => new Date(Date.now() + ms).toISOString();
  const fill = async (name: string, ms: number) => {
    for (let at = 0; at < 10_000; at += 1_000)
      await db
        .insertInto("account_verification")
        .values(
          Array.from({ length: 1_000 }, (_, index) => ({
            ...{ id: `${name}-${at + index}`, identifier: `${name}-${at + index}` },
            ...{ ...row, expires_at: until(ms) },
          })),
        )
        .execute();
  };
  await fill("over", -1_000);
  await begin(signInPath);
  await fill("waits", 60_000);
  expect(await code(callApi("POST", `${signInPath}/options`, {}, local))).toBe("429 too_many_attempts");
  await db.deleteFrom("account_verification").execute();
});
