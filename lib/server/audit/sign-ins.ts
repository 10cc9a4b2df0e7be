import type { Account } from "@/lib/protocol/accounts";
import { HttpError } from "@/lib/server/http/errors";
import type { AuditLog, Did } from "./audit-log";

/** Has `work` sign somebody in, and writes down that it did, or for which address it refused to. */
export async function notingSignIn<SignedIn extends { account: Account }>(
  audit: AuditLog,
  { headers }: Request,
  email: string,
  { work, did }: { work: () => Promise<SignedIn>; did: (signedIn: SignedIn) => Did },
): Promise<SignedIn> {
  let signedIn: SignedIn;
  try {
    signedIn = await work();
  } catch (cause) {
    if (cause instanceof HttpError) await audit.noteRefused(`${email}, ${cause.code}`, headers);
    throw cause;
  }
  await audit.note(signedIn.account, did(signedIn), headers);
  return signedIn;
}
