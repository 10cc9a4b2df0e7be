/** What the audit log tells of, by the groups that its page offers. */
export const auditActions = {
  signIn: [
    "began",
    "refused",
    "ended",
    "ended_one",
    "ended_others",
    "joined",
    "password_changed",
    "password_reset",
    "began_by_passkey",
    "passkey_added",
    "passkey_removed",
  ],
  people: ["invited", "invitation_withdrawn", "changed", "limits_changed", "deleted", "reset_link_made"],
  tokens: ["made", "deleted", "trigger_made", "trigger_changed", "trigger_deleted"],
  setup: [
    ...["models_changed", "agent_changed", "agent_deleted", "file_changed", "exported"],
    ...[
      "server_added",
      "server_changed",
      "server_removed",
      "server_approved",
      "server_restarted",
      "server_slept",
    ],
    ...["hook_added", "hook_changed", "hook_deleted"],
    ...["server_signed_in", "server_signed_out", "server_secrets_changed"],
  ],
  calls: ["answered", "made_by_hand"],
  shares: ["made", "saved_as_file", "changed", "ended"],
  data: ["exported_all", "exported_conversation", "exported_run", "imported", "deleted_everything"],
} as const;

export type AuditGroup = keyof typeof auditActions;
export const auditGroups = Object.keys(auditActions) as AuditGroup[];

export type AuditAction = {
  [Group in AuditGroup]: `${Group}.${(typeof auditActions)[Group][number]}`;
}[AuditGroup];

/** `GET /api/audit`, for admins: who did what, when and from where. No contents. */
export interface AuditItem {
  id: string;
  at: string;
  /** As they were called then; null: nobody was signed in. */
  who: { id: string; name: string } | null;
  action: AuditAction;
  /** Name or id of what it was done to, with what became of it. */
  on: string | null;
  /** The network address that it came from, where it is known. */
  from: string | null;
  /** How often, within ten minutes. */
  count: number;
}

/** How long it is kept, days. */
export const auditDays = 400;
