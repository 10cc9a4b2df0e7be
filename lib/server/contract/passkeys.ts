import { z } from "zod";
import { maxPasskeyName } from "@/lib/protocol/passkeys";
import { EmptyBody, line, type Route } from "./fields";

/** Bytes as browsers write them: what the device signs has some hundred. */
const bytes = z
  .string()
  .min(1)
  .max(8_000)
  .regex(/^[\w-]+$/, "must be base64url");

/** By which a device names a passkey, at most 1,023 bytes. */
const credentialId = bytes.max(1_400);

/** What of a `PublicKeyCredential` counts; browsers add to it over time, which is left out. */
const credential = { id: credentialId, rawId: credentialId, type: z.literal("public-key") };

export const PasskeyBody = z.strictObject({
  name: line(maxPasskeyName).refine((text) => text !== "", "must not be empty"),
  response: z
    .object({
      ...credential,
      response: z.object({
        clientDataJSON: bytes,
        attestationObject: bytes,
        transports: z
          .array(z.string().regex(/^[a-z-]{1,20}$/))
          .max(10)
          .default([]),
      }),
    })
    .transform((response) => ({ ...response, clientExtensionResults: {} })),
});

export const PasskeySignInBody = z.strictObject({
  response: z
    .object({
      ...credential,
      response: z.object({ clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }),
    })
    .transform((response) => ({ ...response, clientExtensionResults: {} })),
});

export const passkeyRoutes: Route[] = [
  ["post", "/api/auth/sign-in/passkey/options", "What a browser asks a passkey for, to sign in", EmptyBody],
  ["post", "/api/auth/sign-in/passkey", "Signs in with a passkey", PasskeySignInBody],
  ["get", "/api/passkeys", "One's own passkeys"],
  ["post", "/api/passkeys/options", "What a browser makes a passkey from", EmptyBody],
  ["post", "/api/passkeys", "Adds a passkey", PasskeyBody],
  ["delete", "/api/passkeys/{id}", "Removes a passkey"],
];
