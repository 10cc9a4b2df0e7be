/** Whether this process may send what can be sent once: of several on one database another may have taken over what it was doing. */
export type MayCall = () => boolean;

/** Not one byte of it was sent. */
class NotHeldError extends Error {
  override name = "NotHeldError";
  constructor() {
    super("It may be in the hands of another process.");
  }
}

export function isNotHeld(cause: unknown): boolean {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (error.name === "NotHeldError") return true;
  return false;
}

/** To be asked where bytes leave: to wake a server or to connect may have taken seconds since the call was stored. */
export function assertHeld(mayCall: MayCall | undefined): void {
  if (mayCall && !mayCall()) throw new NotHeldError();
}

/** Of a request for tokens, as form fields. */
export const isRenewal = (body: unknown): boolean =>
  typeof body === "string" && /(?:^|&)grant_type=refresh_token(?:&|$)/.test(body);

/** Of a message as the SDK writes it. Arguments that hold these words make no difference where calls may be sent. */
export const isCall = (body: unknown): boolean =>
  typeof body === "string" && body.includes('"method":"tools/call"');
