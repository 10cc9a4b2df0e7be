import type { App } from "@/e2e/support/app";

const password = "a long enough password";

/** Somebody who is signed in, as their browser is. */
export interface Visitor {
  id: string;
  email: string;
  fetch(path: string, body?: unknown, method?: string): Promise<Response>;
}

/** The first admin and so many people that they have invited, all signed in. */
export async function signUpPeople({ baseUrl, token }: App, count: number): Promise<Visitor[]> {
  const admin = await signUp(baseUrl, 0, { token });
  const people = [admin];
  while (people.length < count) {
    const { url } = await read<{ url: string }>(await admin.fetch("/api/invitations", { role: "member" }));
    const invitation = new URL(url).searchParams.get("invitation") ?? "";
    people.push(await signUp(baseUrl, people.length, { invitation }));
  }
  return people;
}

async function signUp(
  baseUrl: string,
  index: number,
  { token, invitation }: { token?: string; invitation?: string },
): Promise<Visitor> {
  const email = `person${index}@example.com`;
  const response = await send(
    `${baseUrl}/api/auth/sign-up/email`,
    { name: `Person ${index}`, email, password, invitation },
    token === undefined ? {} : { authorization: `Bearer ${token}` },
  );
  const visitor = await toVisitor(baseUrl, email, response);
  // A title by the model is one more request after each first answer.
  await read(await visitor.fetch("/api/settings", { titles: "words" }, "PATCH"));
  return visitor;
}

export async function signIn({ baseUrl }: App, { email }: Pick<Visitor, "email">): Promise<Visitor> {
  return toVisitor(baseUrl, email, await send(`${baseUrl}/api/auth/sign-in/email`, { email, password }));
}

async function toVisitor(baseUrl: string, email: string, response: Response): Promise<Visitor> {
  const { id } = await read<{ id: string }>(response);
  const cookie = response.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  return {
    id,
    email,
    fetch: (path, body, method) =>
      body === undefined
        ? fetch(baseUrl + path, { headers: { cookie } })
        : send(baseUrl + path, body, { cookie }, method),
  };
}

const send = (url: string, body: unknown, headers: Record<string, string> = {}, method = "POST") =>
  fetch(url, {
    method,
    headers: { "content-type": "application/json", origin: new URL(url).origin, ...headers },
    body: JSON.stringify(body),
  });

export async function read<Body>(response: Response): Promise<Body> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}
