import type { NewApiToken, TokenScope } from "@/lib/protocol/api-tokens";
import type { ErrorBody } from "@/lib/protocol/http";
import { callApi } from "./call-api";
import type { TestPerson } from "./people";

/** A program: it sends nothing but its token. */
export const program =
  (value: string) =>
  (method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
    callApi(method, path, body, { authorization: `Bearer ${value}`, ...more });

export type Program = ReturnType<typeof program>;

export async function makeToken(
  person: Pick<TestPerson, "call">,
  scopes: TokenScope[],
  expiresAt: string | null = null,
): Promise<NewApiToken & { call: Program }> {
  const answer = await person.call("POST", "/api/tokens", { name: "A script", scopes, expiresAt });
  if (answer.status !== 201) throw new Error(await answer.text());
  const made = (await answer.json()) as NewApiToken;
  return { ...made, call: program(made.value) };
}

/** Status and code of an answer. */
export async function codeOf(response: Promise<Response> | Response): Promise<string> {
  const answer = await response;
  const body = (await answer.json().catch(() => ({}))) as Partial<ErrorBody>;
  return `${answer.status} ${body.error?.code ?? ""}`.trim();
}
