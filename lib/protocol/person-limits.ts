/** What a person may use at most; what is not named has no limit of its own. */
export interface PersonLimits {
  /** Answers that are being written at the same time. */
  runs?: number;
  /** In and out together, from midnight to midnight UTC. */
  tokensPerDay?: number;
  /** In US dollars; counts only where the price of the model is known. */
  costPerDay?: number;
  /** Of all attached files together. */
  bytes?: number;
  /** MCP servers of their own. */
  servers?: number;
}

export type LimitKey = keyof PersonLimits;

/** Each limit and the most that it can be set to. */
export const limitMaxima: Readonly<Record<LimitKey, number>> = {
  runs: 2_000,
  tokensPerDay: 1_000_000_000_000,
  costPerDay: 1_000_000,
  bytes: 1_000_000_000_000_000,
  servers: 20,
};

export const limitKeys = Object.keys(limitMaxima) as LimitKey[];

/** What changes in somebody's limits; null takes one away. */
export type LimitsPatch = { [Key in LimitKey]?: PersonLimits[Key] | null | undefined };

export const changeLimits = (limits: PersonLimits, patch: LimitsPatch): PersonLimits =>
  Object.fromEntries(
    Object.entries({ ...limits, ...patch }).filter(([, most]) => most !== null && most !== undefined),
  );

/** `GET /api/limits`, for admins: of everybody whose own limits do not name them. */
export interface SharedLimits {
  admin: PersonLimits;
  member: PersonLimits;
  /** After so many days without a change conversations are deleted, as by a person's own setting. */
  retention: { days?: number };
}

export interface Use {
  /** In and out together. */
  tokens: number;
  /** In US dollars. */
  cost: number;
}

/** What was used on a day, by answers that have ended and, today, those that go on. */
export interface DayUse extends Use {
  /** `2026-11-28`, UTC. */
  day: string;
}

/** `GET /api/usage`: one's own. */
export interface UsageItem {
  /** In force, with those of the role. */
  limits: PersonLimits;
  today: DayUse;
  /** Of attached files. */
  bytes: number;
  /** Days on which something was used, newest first. */
  days: DayUse[];
  /** After how many days an admin has conversations deleted; null: after none. */
  retentionDays: number | null;
}

/** `GET /api/usage?everybody=true`, for admins. No contents. */
export interface EverybodysUsage {
  /** Days on which something was used, newest first. */
  days: DayUse[];
  /** Who has used most money, then most tokens, first; at most `maxListedPeople`. */
  people: (Use & { id: string; name: string })[];
}

/** So far back use is told, and so long it is kept. */
export const [usageDays, keptUsageDays] = [30, 400];
export const maxListedPeople = 500;

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Days before one, as it. */
export const daysBefore = (at: number, days: number): string => dayOf(at - days * 24 * 3_600_000);
