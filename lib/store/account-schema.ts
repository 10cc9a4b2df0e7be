import type { Role } from "@/lib/protocol/accounts";
import type { AuditAction } from "@/lib/protocol/audit";

/** People of `AUTH=accounts`, and the API tokens of both modes. */
export interface AccountTables {
  account_user: AccountUserTable;
  account_session: AccountSessionTable;
  account_credential: AccountCredentialTable;
  account_verification: AccountVerificationTable;
  account_passkey: AccountPasskeyTable;
  usage_day: UsageDayTable;
  account_invitation: AccountInvitationTable;
  account_audit: AccountAuditTable;
  /** Whose account is gone while something that they have written may be left; `at` is when it went. */
  deleted_person: { id: string; at: number };
  api_token: ApiTokenTable;
}

/** These five are written by better-auth too: times of its columns are ISO text. */
interface AccountUserTable {
  id: string;
  name: string;
  /** In small letters. */
  email: string;
  email_verified: 0 | 1;
  image: string | null;
  created_at: string;
  updated_at: string;
  role: Role;
  disabled: 0 | 1;
  /** 1 for the first admin alone. */
  founder: 1 | null;
  /** JSON, `PersonLimits`; null: none of their own. */
  limits: string | null;
  last_seen_at: number | null;
}

interface AccountSessionTable {
  id: string;
  expires_at: string;
  /** Signs in with a signature by APP_SECRET alone. */
  token: string;
  created_at: string;
  updated_at: string;
  ip_address: string | null;
  user_agent: string | null;
  user_id: string;
  last_seen_at: number | null;
}

interface AccountCredentialTable {
  id: string;
  account_id: string;
  provider_id: string;
  user_id: string;
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: string | null;
  refresh_token_expires_at: string | null;
  scope: string | null;
  /** Salt and hash. */
  password: string | null;
  created_at: string;
  updated_at: string;
}

interface AccountVerificationTable {
  id: string;
  identifier: string;
  value: string;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

interface UsageDayTable {
  user_id: string;
  /** `2026-11-28`, UTC. */
  day: string;
  tokens: number;
  cost: number;
}

interface AccountPasskeyTable {
  id: string;
  name: string;
  public_key: string;
  user_id: string;
  /** By which a browser names it. */
  credential_id: string;
  counter: number;
  device_type: string;
  backed_up: 0 | 1;
  transports: string | null;
  created_at: string;
  /** Of the model of the device or of the password manager that holds it. */
  aaguid: string | null;
  last_used_at: number | null;
}

interface AccountInvitationTable {
  id: string;
  token_hash: string;
  email: string | null;
  role: Role;
  invited_by: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  /** The address whose sign-up has taken it and has not come to its end. */
  taken_by: string | null;
}

interface AccountAuditTable {
  id: string;
  at: number;
  user_id: string | null;
  user_name: string | null;
  action: AuditAction;
  done_to: string | null;
  address: string | null;
  times: number;
}

interface ApiTokenTable {
  id: string;
  /** Of the one person with `AUTH=local`, who is in no other table. */
  user_id: string;
  token_hash: string;
  name: string;
  /** The first characters of its value. */
  start: string;
  /** JSON. */
  scopes: string;
  /** JSON; null: none. */
  options: string | null;
  created_at: number;
  /** Null: never. */
  expires_at: number | null;
  last_used_at: number | null;
}
