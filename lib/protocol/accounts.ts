import type { PersonLimits, Use } from "./person-limits";

/** `admin`: sets Meguri up for everybody; `member`: uses it. */
export const roles = ["admin", "member"] as const;

export type Role = (typeof roles)[number];

/** Who is signed in. */
export interface Account {
  id: string;
  name: string;
  email: string;
  role: Role;
}

/** Why a sign-in with the identity provider has led nowhere: `failed` in the address of the sign-in page. */
export const oidcFailures = [
  /** It was begun in another browser, too long ago, or has been used. */
  "state",
  /** The person has said no at the provider. */
  "cancelled",
  /** The provider does not answer, or says that it is not well. */
  "unavailable",
  /** What the provider says does not hold, or it does not take us. */
  "refused",
  /** The provider does not vouch for the address. */
  "unverified",
  /** Only people with another address may join without an invitation. */
  "domain",
  /** The account with this address belongs to somebody else at the provider. */
  "other_identity",
  "disabled",
  /** Nobody may join before the first admin. */
  "no_admin",
  "internal",
] as const;

export type OidcFailure = (typeof oidcFailures)[number];

/** `GET /api/users`, for admins. */
export interface PersonItem extends Account {
  disabled: boolean;
  createdAt: string;
  /** Null until the first sign-in. */
  lastSeenAt: string | null;
  /** Their own. */
  limits: PersonLimits;
  /** With those of their role. */
  inForce: PersonLimits;
  /** Used since midnight UTC. */
  today: Use;
}

/** `GET /api/invitations`, for admins: those that can still be used. */
export interface InvitationItem {
  id: string;
  /** Null: for anybody with the link. */
  email: string | null;
  role: Role;
  /** Name of the admin who made it. */
  from: string;
  createdAt: string;
  expiresAt: string;
}

/** The answer of `POST /api/invitations`; the address is shown this once. */
export interface NewInvitation {
  id: string;
  url: string;
  expiresAt: string;
}

/** `GET /api/sessions`: where one is signed in. */
export interface SessionItem {
  id: string;
  createdAt: string;
  lastSeenAt: string;
  /** As the browser calls itself. */
  agent: string | null;
  /** It is the one that asks. */
  current: boolean;
}

/** Characters; the most that a form takes is longer than anybody types. */
export const passwordLength = { min: 12, max: 128 };
