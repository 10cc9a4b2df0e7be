import { APIError } from "better-auth";
import { HttpError } from "@/lib/server/http/errors";

export const refused = (code: string, message: string) => new HttpError(403, code, message);

export const invitationNeeded = () =>
  refused("invitation_needed", "An account is made with an invitation; ask an admin for one.");

export const otherAddress = () =>
  new HttpError(403, "invitation_email", "email: this invitation is for another address; enter that one.");

export const exists = () =>
  new HttpError(409, "exists", "email: there is an account with this address; sign in with it.");

const challengeOver = () =>
  refused("challenge_over", "This took longer than 5 minutes, or was begun in another browser; try again.");

const passkeyUnknown = () =>
  new HttpError(
    401,
    "wrong_passkey",
    "This passkey does not sign anybody in here; use another one, or your password.",
  );

export const invalidPasskey = () =>
  new HttpError(400, "invalid_passkey", "response: this passkey cannot be kept here; try another device.");

/** What people are told of what the library refuses; anything else comes back as it is. */
const toHttpError = (cause: unknown): unknown =>
  cause instanceof APIError ? (known[cause.body?.code ?? ""]?.() ?? cause) : cause;

const known: Readonly<Record<string, (() => HttpError) | undefined>> = {
  INVALID_EMAIL_OR_PASSWORD: () =>
    new HttpError(401, "wrong_credentials", "The e-mail address or the password is wrong."),
  INVALID_PASSWORD: () => new HttpError(403, "wrong_password", "current: this is not your password."),
  CREDENTIAL_ACCOUNT_NOT_FOUND: () =>
    refused("no_password", "This account has no password; ask an admin for a link that sets one."),
  INVALID_TOKEN: () =>
    refused("link_over", "This link has been used or has expired; ask an admin for a new one."),
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: exists,
  SESSION_NOT_FRESH: () =>
    refused(
      "sign_in_again",
      "Sign in again first; a passkey can only be added within an hour of signing in.",
    ),
  CHALLENGE_NOT_FOUND: challengeOver,
  YOU_ARE_NOT_ALLOWED_TO_REGISTER_THIS_PASSKEY: challengeOver,
  FAILED_TO_VERIFY_REGISTRATION: invalidPasskey,
  PASSKEY_NOT_FOUND: passkeyUnknown,
  AUTHENTICATION_FAILED: passkeyUnknown,
  UNAUTHORIZED: () => new HttpError(401, "unauthorized", "Sign in first; in a browser, reload the page."),
  disabled: () => refused("disabled", "This account is switched off; ask an admin."),
};

/** What the library refuses, in our words. */
export const told = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((cause) => {
    throw toHttpError(cause);
  });
