import { hasName } from "@/lib/protocol/has-name";

/** A person has to sign in, or sign in again with a wider scope. */
export class LoginNeededError extends Error {
  // Routes are bundled one by one, and each bundle has its own class.
  static [Symbol.hasInstance] = hasName("LoginNeededError");
  override name = "LoginNeededError";
  constructor(
    message: string,
    readonly scope?: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

export const askPerson = "The server asks for a sign-in.";
