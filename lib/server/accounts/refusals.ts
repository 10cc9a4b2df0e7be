import { APIError } from "better-auth";
import { HttpError } from "@/lib/server/http/errors";

export const refused = (code: string, message: string) => new HttpError(403, code, message);

export const invitationNeeded = () =>
  refused("invitation_needed", "An account is made with an invitation; ask an admin for one.");

export const otherAddress = () =>
  new HttpError(403, "invitation_email", "email: this invitation is for another address; enter that one.");

export const exists = () =>
  new HttpError(409, "exists", "email: there is an account with this address; sign in with it.");

/** What people are told of what the library refuses; anything else comes back as it is. */
export const toHttpError = (cause: unknown): unknown =>
  cause instanceof APIError ? (told[cause.body?.code ?? ""]?.() ?? cause) : cause;

const told: Readonly<Record<string, (() => HttpError) | undefined>> = {
  INVALID_EMAIL_OR_PASSWORD: () =>
    new HttpError(401, "wrong_credentials", "The e-mail address or the password is wrong."),
  INVALID_PASSWORD: () => new HttpError(403, "wrong_password", "current: this is not your password."),
  CREDENTIAL_ACCOUNT_NOT_FOUND: () =>
    refused("no_password", "This account has no password; ask an admin for a link that sets one."),
  INVALID_TOKEN: () =>
    refused("link_over", "This link has been used or has expired; ask an admin for a new one."),
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: exists,
  disabled: () => refused("disabled", "This account is switched off; ask an admin."),
};
