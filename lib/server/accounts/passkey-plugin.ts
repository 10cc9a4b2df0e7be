import { passkey } from "@better-auth/passkey";
import { APIError } from "better-auth";
import type { Env } from "@/lib/server/env";
import { passkeySite } from "./passkey-site";

/** What better-auth knows of passkeys, over our table. Where there are none our routes do not come to it. */
export function passkeyPlugin(env: Pick<Env, "PORT" | "PUBLIC_URL">) {
  const { rpID, origin } = passkeySite(env) ?? { rpID: "localhost", origin: "http://localhost" };
  return passkey({
    ...{ rpID, rpName: "Meguri", origin },
    advanced: { webAuthnChallengeCookie: "passkey" },
    // It signs in alone, without an address or a password: the device has to know who holds it.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    registration: {
      afterVerification: ({ verification }) =>
        assertVerified(verification.registrationInfo?.userVerified, "FAILED_TO_VERIFY_REGISTRATION"),
    },
    authentication: {
      afterVerification: ({ verification }) =>
        assertVerified(verification.authenticationInfo.userVerified, "AUTHENTICATION_FAILED"),
    },
    schema: {
      passkey: {
        modelName: "account_passkey",
        fields: {
          ...{ publicKey: "public_key", userId: "user_id", credentialID: "credential_id" },
          ...{ deviceType: "device_type", backedUp: "backed_up", createdAt: "created_at" },
        },
      },
    },
  });
}

/** The library asks for it as a preference, whatever is set. */
function assertVerified(userVerified: boolean | undefined, code: string): void {
  if (!userVerified) throw new APIError("FORBIDDEN", { code });
}
