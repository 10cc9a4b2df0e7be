import type { Account, NewInvitation, Role } from "@/lib/protocol/accounts";
import { host } from "@/lib/server/testing/database-env";
import { callApi } from "./call-api";

/** Of each person that tests make. */
export const password = "a long enough password";
export const origin = { origin: `http://${host}` };
/** A browser that has nothing of ours. */
export const stranger = { authorization: "", ...origin };

export interface TestPerson extends Account {
  /** What the browser sends. */
  headers: { authorization: string; cookie: string; origin: string };
  call: (method: string, path: string, body?: unknown, more?: Record<string, string>) => Promise<Response>;
}

/** The cookies that an answer sets, as they are sent back. */
export const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

/** With an invitation, or as the first admin, as the launch token is sent. */
export const signUp = (name: string, invitation?: string) =>
  callApi(
    "POST",
    "/api/auth/sign-up/email",
    { name, email: `${name.toLowerCase()}@example.com`, password, ...(invitation && { invitation }) },
    invitation === undefined ? origin : stranger,
  );

export async function toPerson(response: Response): Promise<TestPerson> {
  const account = (await response.json()) as Account;
  const headers = { ...stranger, cookie: cookiesOf(response) };
  return {
    ...account,
    headers,
    call: (method, path, body, more = {}) => callApi(method, path, body, { ...headers, ...more }),
  };
}

export async function invite(admin: TestPerson, role: Role, email?: string): Promise<string> {
  const response = await admin.call("POST", "/api/invitations", { role, ...(email && { email }) });
  const { url } = (await response.json()) as NewInvitation;
  return new URL(url).searchParams.get("invitation") ?? "";
}

export const join = async (admin: TestPerson, name: string, role: Role = "member") =>
  toPerson(await signUp(name, await invite(admin, role)));
