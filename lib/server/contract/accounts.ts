import { z } from "zod";
import { passwordLength, roles } from "@/lib/protocol/accounts";
import { line, type Route } from "./fields";
import { limitsPatch } from "./limits";

const role = z.enum(roles);

/** In small letters once it is checked: there are letters that become others, and are no part of an address. */
const email = z
  .string()
  .trim()
  .max(254)
  .pipe(z.email({ error: "must be an e-mail address, for example aiko@example.com" }))
  .transform((address) => address.toLowerCase());

const newPassword = z
  .string()
  .min(passwordLength.min, `must have at least ${passwordLength.min} characters`)
  .max(passwordLength.max, `must have at most ${passwordLength.max} characters`);

/** One that is being checked: a rule for it would say what an account has. */
const password = z.string().min(1).max(1_000);

/** Of a link; what is longer is none of ours. */
const linkToken = z.string().min(1).max(200);

const personName = line(80).refine((text) => text !== "", "must not be empty");

export const SignUpBody = z.strictObject({
  name: personName,
  email,
  password: newPassword,
  invitation: linkToken.optional(),
});

export const SignInBody = z.strictObject({ email, password });

export const NewPasswordBody = z.strictObject({ token: linkToken, password: newPassword });

export const ChangePasswordBody = z.strictObject({ current: password, password: newPassword });

export const InvitationBody = z.strictObject({ email: email.optional(), role });

export const PersonPatch = z
  .strictObject({ role: role.optional(), disabled: z.boolean().optional(), limits: limitsPatch.optional() })
  .refine(
    (patch) => Object.values(patch).some((to) => to !== undefined),
    "name role, disabled or limits, what is to change",
  );

/** What an identity provider says of somebody, whose signature has been checked. What does not fit counts as not said. */
export const ProviderClaims = z.object({
  email: email.optional().catch(undefined),
  /** Some send the text "true", or nothing: neither vouches for anything. */
  email_verified: z.literal(true).optional().catch(undefined),
  name: personName.optional().catch(undefined),
  preferred_username: personName.optional().catch(undefined),
});

export const accountRoutes: Route[] = [
  [
    "post",
    "/api/auth/sign-up/email",
    "Makes an account, with an invitation or as the first admin",
    SignUpBody,
  ],
  ["post", "/api/auth/sign-in/email", "Signs in", SignInBody],
  ["get", "/api/auth/oidc", "Leads to the identity provider, to sign in there"],
  ["get", "/api/auth/oidc/callback", "Where the identity provider leads back to"],
  ["post", "/api/auth/reset-password", "Sets a new password by a link of an admin", NewPasswordBody],
  ["post", "/api/auth/change-password", "Changes one's own password", ChangePasswordBody],
  ["get", "/api/invitations", "Invitations that can be used"],
  ["post", "/api/invitations", "Invites somebody", InvitationBody],
  ["delete", "/api/invitations/{id}", "Takes an invitation back"],
  ["get", "/api/users", "People"],
  ["patch", "/api/users/{id}", "Changes what a person may do", PersonPatch],
  ["delete", "/api/users/{id}", "Deletes a person with everything that is theirs"],
  ["post", "/api/users/{id}/reset", "Makes a link for a new password"],
  ["get", "/api/sessions", "Where one is signed in"],
  ["delete", "/api/sessions", "Signs out everywhere else"],
  ["delete", "/api/sessions/{id}", "Signs one session out"],
];
