import { beforeAll, expect, test, vi } from "vitest";
import type { InvitationItem, NewInvitation, PersonItem, SessionItem } from "@/lib/protocol/accounts";
import type { ErrorBody, Page } from "@/lib/protocol/http";
import { Accounts } from "@/lib/server/accounts/accounts";
import { Roles } from "@/lib/server/accounts/roles";
import { getDeps } from "@/lib/server/entry/deps";
import { hash } from "@/lib/server/secrets";
import { callApi, withApplication } from "./testing/call-api";
import {
  cookiesOf,
  invite,
  join,
  origin,
  password,
  signUp,
  stranger,
  type TestPerson,
  toPerson,
} from "./testing/people";

withApplication({}, { AUTH: "accounts" });

let admin: TestPerson;
let firstAnswers: Response[];
/** What a stranger was told who came before them. */
let uninvited: string;

const code = async (response: Promise<Response> | Response) => {
  const answer = await response;
  return `${answer.status} ${((await answer.clone().json()) as ErrorBody).error?.code ?? ""}`.trim();
};

const signIn = (email: string, secret = password, more: Record<string, string> = {}) =>
  callApi("POST", "/api/auth/sign-in/email", { email, password: secret }, { ...stranger, ...more });

beforeAll(async () => {
  const eve = { name: "Eve", email: "eve@example.com", password };
  uninvited = await code(callApi("POST", "/api/auth/sign-up/email", eve, stranger));
  firstAnswers = await Promise.all([signUp("Aiko"), signUp("Ben")]);
  const won = firstAnswers.find(({ status }) => status === 201);
  if (won) admin = await toPerson(won);
});

test("of two who sign up first at once one becomes the admin, and the printed token ends with it", async () => {
  expect(uninvited).toBe("403 invitation_needed");
  expect(firstAnswers.map(({ status }) => status).toSorted()).toEqual([201, 403]);
  expect(admin.role).toBe("admin");
  const { items } = (await (await admin.call("GET", "/api/users")).json()) as Page<PersonItem>;
  expect(items.filter(({ name }) => name === "Aiko" || name === "Ben").map(({ id }) => id)).toEqual([
    admin.id,
  ]);
  expect(await code(signUp("Carl"))).toBe("403 invitation_needed");
  const opened = await callApi("GET", "/api/session?token=token-for-tests-only", undefined, stranger);
  expect([opened.headers.get("location"), opened.headers.getSetCookie()]).toEqual(["/sign-in", []]);
});

test("the launch token reads nothing", async () => {
  expect(await code(callApi("GET", "/api/settings", undefined, origin))).toBe("401 unauthorized");
});

test("cookies are kept from scripts and other sites", async () => {
  const [answer] = firstAnswers.filter(({ status }) => status === 201);
  const session = answer?.headers.getSetCookie().find((cookie) => cookie.includes("session_token"));
  expect(session).toMatch(/^meguri_(localhost_)?3999_account\.session_token=/);
  expect(session).toContain("HttpOnly");
  expect(session).toContain("SameSite=Lax");
});

test("another site's page can neither sign in nor sign up", async () => {
  for (const path of ["/api/auth/sign-in/email", "/api/auth/sign-up/email", "/api/auth/reset-password"])
    for (const headers of [
      { origin: "https://evil.example" },
      { ...origin, "sec-fetch-site": "cross-site" },
      {},
    ])
      expect(await code(callApi("POST", path, {}, { authorization: "", ...headers })), path).toBe(
        "403 forbidden_origin",
      );
});

test("of the library nothing is reachable that is not a route of ours", async () => {
  for (const path of [
    "update-user",
    "get-session",
    "list-sessions",
    "sign-in/social",
    "verify-password",
    "ok",
  ])
    for (const method of ["GET", "POST"])
      expect(await code(admin.call(method, `/api/auth/${path}`, method === "POST" ? {} : undefined))).toBe(
        "404 not_found",
      );
  const body = { name: "R", email: "r@example.com", password, role: "admin" };
  expect(await code(callApi("POST", "/api/auth/sign-up/email", body, stranger))).toBe("400 invalid_input");
});

test("an invitation makes one account, of its role and for its address", async () => {
  const link = await invite(admin, "member", "dora@example.com");
  expect(await code(signUp("Other", link))).toBe("403 invitation_email");
  const answer = await signUp("Dora", link);
  expect(answer.status).toBe(201);
  const dora = await toPerson(answer);
  expect(dora.role).toBe("member");
  expect(await code(dora.call("GET", "/api/users"))).toBe("403 forbidden");
  expect(await code(signUp("Dora", link))).toBe("403 invitation_used");
  expect(await code(signUp("Dora", "no-such-invitation"))).toBe("403 invitation_unknown");
  expect(
    await code(admin.call("POST", "/api/invitations", { role: "member", email: "DORA@example.com" })),
  ).toBe("409 exists");
  expect(await code(signUp("Dora", await invite(admin, "admin")))).toBe("409 exists");
});

test("a letter that only looks like one of an address makes no other address of it", async () => {
  // The sign for Kelvin is a k in small letters.
  const kelvin = "\u212Ay@example.com";
  const link = await invite(admin, "member", "ky@example.com");
  const answers = [
    callApi(
      "POST",
      "/api/auth/sign-up/email",
      { name: "Ky", email: kelvin, password, invitation: link },
      stranger,
    ),
    admin.call("POST", "/api/invitations", { role: "member", email: kelvin }),
    signIn(kelvin),
  ];
  expect(await Promise.all(answers.map(code))).toEqual(Array(3).fill("400 invalid_input"));
  expect(await code(signUp("Ky", link))).toBe("201");
});

test("of two who use one invitation at once one joins", async () => {
  const link = await invite(admin, "member");
  const answers = await Promise.all([signUp("Emil", link), signUp("Fay", link)]);
  expect((await Promise.all(answers.map(code))).toSorted()).toEqual(["201", "403 invitation_used"]);
});

test("an invitation that a killed process had taken is there again after the next start", async () => {
  const token = await invite(admin, "member");
  const vouching = { takesVouching: () => false, onVouched: async () => {}, stopWork: async () => {} };
  const deps = { ...(await getDeps()), ...vouching, roles: new Roles() };
  expect(await deps.store.invitations.claim(hash(token), Date.now(), "ines@example.com")).toBe(true);
  expect(await code(signUp("Ines", token))).toBe("403 invitation_used");
  await Accounts.open(deps);
  expect((await signUp("Ines", token)).status).toBe(201);
  await Accounts.open(deps);
  expect(await code(signUp("Jun", token))).toBe("403 invitation_used");
});

test("what is stored of an invitation opens nothing; one that is taken back or has expired is over", async () => {
  const { store } = await getDeps();
  const made = (await (
    await admin.call("POST", "/api/invitations", { role: "member" })
  ).json()) as NewInvitation;
  const link = new URL(made.url).searchParams.get("invitation") ?? "";
  const { items } = (await (await admin.call("GET", "/api/invitations")).json()) as Page<InvitationItem>;
  expect(items.find(({ id }) => id === made.id)).toMatchObject({
    email: null,
    role: "member",
    from: admin.name,
  });
  expect(JSON.stringify([items, await store.invitations.list(0)])).not.toContain(link);
  expect((await admin.call("DELETE", `/api/invitations/${made.id}`)).status).toBe(200);
  expect(await code(signUp("Gil", link))).toBe("403 invitation_unknown");
  expect(await code(admin.call("DELETE", `/api/invitations/${made.id}`))).toBe("404 not_found");

  const token = "an-old-one";
  const row = {
    email: null,
    role: "member",
    invitedBy: admin.id,
    createdAt: 1,
    expiresAt: 2,
    usedAt: null,
  } as const;
  await store.invitations.add({ ...row, id: "old", tokenHash: hash(token) }, 200);
  expect(await code(signUp("Gil", token))).toBe("403 invitation_expired");
});

test("a wrong password and an unknown address are told the same, and too many attempts are slowed down", async () => {
  await join(admin, "Hana");
  const answers = [await signIn("hana@example.com", "wrong"), await signIn("nobody@example.com", "wrong")];
  const [wrong, unknown] = await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  expect(wrong).toBe(unknown);
  for (let at = 0; at < 9; at++) await signIn("hana@example.com", "wrong");
  const late = await signIn("HANA@example.com");
  expect(await code(late)).toBe("429 too_many_attempts");
  expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await code(signIn(admin.email))).toBe("200");
});

test("a sign-in begins a new session in place of the one that this browser had", async () => {
  const ida = await join(admin, "Ida");
  const again = await signIn(ida.email, password, { cookie: ida.headers.cookie });
  expect(cookiesOf(again)).not.toBe(ida.headers.cookie);
  expect(await code(ida.call("GET", "/api/settings"))).toBe("401 unauthorized");
  const next = await toPerson(again);
  expect((await next.call("DELETE", "/api/session")).status).toBe(200);
  expect(await code(next.call("GET", "/api/settings"))).toBe("401 unauthorized");
});

test("of two tabs that sign out at once both are signed out, and neither is told of a fault", async () => {
  const tao = await join(admin, "Tao");
  const answers = await Promise.all([tao.call("DELETE", "/api/session"), tao.call("DELETE", "/api/session")]);
  for (const { status } of answers) expect([200, 401]).toContain(status);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  expect(await code(tao.call("GET", "/api/settings"))).toBe("401 unauthorized");
  expect(await code(signIn(tao.email))).toBe("200");
});

test("a clock that jumps ends what is over by it, and opens nothing that was closed", async () => {
  const uma = await join(admin, "Uma");
  const invitation = await invite(admin, "member");
  for (let at = 0; at < 10; at++) await signIn("zoe@example.com", "wrong");
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    // Back by a year: sessions, links and what waits hold.
    vi.setSystemTime(Date.now() - 365 * 86_400_000);
    expect(await code(uma.call("GET", "/api/settings"))).toBe("200");
    expect(await code(signIn("zoe@example.com"))).toBe("429 too_many_attempts");
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 32 * 86_400_000);
    expect(await code(uma.call("GET", "/api/settings"))).toBe("401 unauthorized");
    expect(await code(signUp("Yui", invitation))).toBe("403 invitation_expired");
    expect(await code(signIn("zoe@example.com"))).toBe("429 too_many_attempts");
  } finally {
    vi.useRealTimers();
  }
  expect(await code(signIn(uma.email))).toBe("200");
});

test("a password that is being looked at opens nothing once all sessions are ended", async () => {
  const gus = await join(admin, "Gus");
  const { ends, store } = await getDeps();
  const ending = setInterval(() => ends.endAll(gus.id), 5);
  try {
    expect(await code(signIn(gus.email))).toBe("401 unauthorized");
    const change = { current: password, password: "another long password" };
    expect(await code(gus.call("POST", "/api/auth/change-password", change))).toBe("401 unauthorized");
  } finally {
    clearInterval(ending);
  }
  expect(await store.accounts.sessions(gus.id)).toEqual([]);
});

test("a cookie that was changed, and one without its signature, are nobody's", async () => {
  for (const cookie of [
    admin.headers.cookie.slice(0, -4),
    admin.headers.cookie.replace(/\.[^.]*$/, ""),
    "x=1",
  ])
    expect(await code(admin.call("GET", "/api/settings", undefined, { cookie }))).toBe("401 unauthorized");
});

test("sessions are listed and ended, one's own alone", async () => {
  const jo = await join(admin, "Jo");
  const other = await toPerson(await signIn(jo.email, password, { "user-agent": "Firefox on Linux" }));
  const list = async (person: TestPerson) =>
    ((await (await person.call("GET", "/api/sessions")).json()) as Page<SessionItem>).items;
  const items = await list(jo);
  expect(items.map(({ current, agent }) => [current, agent]).toSorted()).toEqual([
    [false, "Firefox on Linux"],
    [true, null],
  ]);
  const [mine] = (await list(admin)).filter(({ current }) => current);
  expect(await code(jo.call("DELETE", `/api/sessions/${mine?.id}`))).toBe("404 not_found");
  const second = items.find(({ current }) => !current);
  expect((await jo.call("DELETE", `/api/sessions/${second?.id}`)).status).toBe(200);
  expect(await code(other.call("GET", "/api/settings"))).toBe("401 unauthorized");
  const third = await toPerson(await signIn(jo.email));
  expect((await jo.call("DELETE", "/api/sessions")).status).toBe(200);
  expect([await code(third.call("GET", "/api/sessions")), (await list(jo)).length]).toEqual([
    "401 unauthorized",
    1,
  ]);
});

test("a link for a new password works once and signs out everywhere; a newer one ends it", async () => {
  const kai = await join(admin, "Kai");
  const link = async () => {
    const { url } = (await (await admin.call("POST", `/api/users/${kai.id}/reset`, {})).json()) as {
      url: string;
    };
    return new URL(url).searchParams.get("reset") ?? "";
  };
  const [older, newer] = [await link(), await link()];
  const set = (token: string, secret = "another long password") =>
    callApi("POST", "/api/auth/reset-password", { token, password: secret }, stranger);
  expect(await code(set(newer, "short"))).toBe("400 invalid_input");
  expect([await code(set(older)), await code(set(newer)), await code(set(newer))]).toEqual([
    "403 link_over",
    "200",
    "403 link_over",
  ]);
  expect(await code(kai.call("GET", "/api/settings"))).toBe("401 unauthorized");
  expect([await code(signIn(kai.email)), await code(signIn(kai.email, "another long password"))]).toEqual([
    "401 wrong_credentials",
    "200",
  ]);
  expect(await code(kai.call("POST", `/api/users/${kai.id}/reset`, {}))).toBe("401 unauthorized");
});

test("one's own password is changed with the present one, and all other sessions end", async () => {
  const lea = await join(admin, "Lea");
  const other = await toPerson(await signIn(lea.email));
  const change = (current: string) =>
    lea.call("POST", "/api/auth/change-password", { current, password: "another long password" });
  expect(await code(change("wrong"))).toBe("403 wrong_password");
  const changed = await change(password);
  expect(changed.status).toBe(200);
  const now = { cookie: cookiesOf(changed) };
  expect(await code(lea.call("GET", "/api/sessions", undefined, now))).toBe("200");
  expect(await code(other.call("GET", "/api/settings"))).toBe("401 unauthorized");
});

test("the last admin stays one, and nobody who is switched off signs in", async () => {
  expect(await code(admin.call("PATCH", `/api/users/${admin.id}`, { role: "member" }))).toBe(
    "409 last_admin",
  );
  expect(await code(admin.call("PATCH", `/api/users/${admin.id}`, { disabled: true }))).toBe(
    "409 last_admin",
  );
  const mia = await join(admin, "Mia", "admin");
  const link = await invite(mia, "admin");
  expect(await code(admin.call("PATCH", `/api/users/${mia.id}`, { disabled: true }))).toBe("200");
  expect(await code(mia.call("GET", "/api/settings"))).toBe("401 unauthorized");
  expect(await code(signIn(mia.email))).toBe("403 disabled");
  // Nobody joins by what somebody offered who is out.
  expect(await code(signUp("Nora", link))).toBe("403 invitation_unknown");
  expect(await code(admin.call("PATCH", `/api/users/${admin.id}`, { role: "member" }))).toBe(
    "409 last_admin",
  );
  expect(await code(admin.call("PATCH", `/api/users/${mia.id}`, { disabled: false }))).toBe("200");
  expect(await code(signIn(mia.email))).toBe("200");
  expect(await code(admin.call("PATCH", "/api/users/unknown", { role: "member" }))).toBe("404 not_found");
});

test("who is made a member stays signed in", async () => {
  const noor = await join(admin, "Noor", "admin");
  expect((await noor.call("GET", "/api/users")).status).toBe(200);
  expect((await admin.call("PATCH", `/api/users/${noor.id}`, { role: "member" })).status).toBe(200);
  expect((await noor.call("PATCH", "/api/settings", { titles: "words" })).status).toBe(200);
  expect(await code(noor.call("GET", "/api/users"))).toBe("403 forbidden");
});
