import {
  type LimitKey,
  type LimitsPatch,
  limitKeys,
  limitMaxima,
  type PersonLimits,
} from "@/lib/protocol/person-limits";

/** The limits as people write them: files in MB, nothing where there is no limit. */
export type LimitsDraft = Record<LimitKey, string>;

const megabyte = 1024 * 1024;
const unitOf = (key: LimitKey): number => (key === "bytes" ? megabyte : 1);

export const mostOf = (key: LimitKey): number => Math.floor(limitMaxima[key] / unitOf(key));

export function toDraft(limits: PersonLimits): LimitsDraft {
  const texts = limitKeys.map((key) => {
    const most = limits[key];
    return [key, most === undefined ? "" : String(Math.round((most / unitOf(key)) * 100) / 100)];
  });
  return Object.fromEntries(texts);
}

/**
 * What was changed since the draft was begun, or the first field that cannot be read. An empty one takes its limit away; what
 * was left alone may be another by now.
 */
export function fromDraft(
  draft: LimitsDraft,
  begun: LimitsDraft,
): { limits: LimitsPatch } | { wrong: LimitKey } {
  const limits: LimitsPatch = {};
  for (const key of limitKeys.filter((each) => draft[each] !== begun[each])) {
    const text = draft[key].trim().replaceAll(",", "");
    if (text === "") {
      limits[key] = null;
      continue;
    }
    const value = Number(text);
    const isCount = key !== "costPerDay" && key !== "bytes";
    if (!(value >= 0 && value <= mostOf(key)) || (isCount && !Number.isInteger(value))) return { wrong: key };
    limits[key] = key === "bytes" ? Math.round(value * megabyte) : value;
  }
  return { limits };
}
