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

/** The limits that are meant, or the first field that cannot be read. An empty one takes its limit away. */
export function fromDraft(draft: LimitsDraft): { limits: LimitsPatch } | { wrong: LimitKey } {
  const limits: LimitsPatch = {};
  for (const key of limitKeys) {
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
