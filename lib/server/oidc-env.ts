import { z } from "zod";

const text = z.string().trim().min(1).max(2_000);

/** The identity provider that people sign in with, beside passwords. */
export const oidcFields = {
  OIDC_ISSUER: text
    .refine(isIssuer, "must be an https:// address without /.well-known/…, as the provider names itself")
    .optional(),
  OIDC_CLIENT_ID: text.optional(),
  OIDC_CLIENT_SECRET: text.optional(),
  /** What the button says: "Sign in with …". */
  OIDC_NAME: z.string().trim().min(1).max(40, "must have at most 40 characters").optional(),
  /** Whose addresses may join without an invitation; everybody's that the provider vouches for when it is empty. */
  OIDC_DOMAINS: z
    .string()
    .default("")
    .transform((list) => list.split(",").flatMap((entry) => entry.trim().toLowerCase() || []))
    .refine(
      (list) => list.every((entry) => /^[^\s@,]+\.[^\s@,]+$/.test(entry)),
      "must be a list of domains, for example acme.dev, acme.co.jp",
    ),
};

const together = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const;

type OidcEnv = z.output<z.ZodObject<typeof oidcFields>> & { AUTH: string };

/** Half a provider would be a button that cannot work, or none without a word. */
export function checkOidc(env: OidcEnv, context: z.RefinementCtx): void {
  const set = together.filter((name) => env[name] !== undefined);
  const [given] = set;
  if (given === undefined) return;
  const missing = together.find((name) => env[name] === undefined);
  if (missing !== undefined)
    context.addIssue({
      ...{ code: "custom", path: [missing] },
      message: `must be set as well, as ${set.join(" and ")} ${set.length > 1 ? "are" : "is"}`,
    });
  else if (env.AUTH !== "accounts")
    context.addIssue({
      ...{ code: "custom", path: [given] },
      message: "is for AUTH=accounts; set that, or remove the variables of OIDC",
    });
}

/** https, or plain http on this machine. */
export const isSafeAddress = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname));

function isIssuer(address: string): boolean {
  const url = URL.parse(address);
  return (
    url !== null &&
    isSafeAddress(url) &&
    `${url.username}${url.search}${url.hash}` === "" &&
    !url.pathname.includes("/.well-known/")
  );
}
