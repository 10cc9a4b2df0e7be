import { isMap } from "yaml";
import { hasInvisible } from "@/lib/protocol/show-invisible";
import { readYaml } from "@/lib/server/read-yaml";

/** Why a skill, or a file of it, cannot be used; one sentence. */
export class SkillFault extends Error {
  override name = "SkillFault";
}

/** What the front matter of a `SKILL.md` says. */
export interface SkillHead {
  name: string;
  description: string;
}

/** UTF-16 code units, as the format allows. */
const maxDescription = 1_024;
/** Of the front matter, which is read for each list. */
const maxHead = 20_000;
/** No slash, which stands behind the name of a server. */
const namePattern = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_.-]{0,63})$/u;

/** Reads the head of a `SKILL.md`; throws `SkillFault`. */
export function parseSkill(text: string): SkillHead {
  const head = /^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*\r?$/m.exec(text.slice(0, maxHead))?.[1];
  if (head === undefined || !/^---[ \t]*\r?\n/.test(text))
    throw new SkillFault(
      "SKILL.md must begin with a line of three hyphens, name and description, and another such line.",
    );
  const read = readYaml(head);
  if ("message" in read) throw new SkillFault(`SKILL.md, line ${read.at.line + 1}: ${read.message}`);
  const { contents } = read.document;
  const get = (key: string): unknown => (isMap(contents) ? contents.get(key) : undefined);
  const name = get("name");
  if (typeof name !== "string" || !namePattern.test(name))
    throw new SkillFault("name in SKILL.md must have 1 to 64 letters, digits, hyphens, dots or _.");
  const description = oneLine(get("description"));
  if (description === "") throw new SkillFault("description in SKILL.md must say when the skill is of use.");
  if (description.length > maxDescription)
    throw new SkillFault(`description in SKILL.md must have at most ${maxDescription} characters.`);
  if (hasInvisible(name) || hasInvisible(description))
    throw new SkillFault("name and description in SKILL.md must not hold characters that cannot be seen.");
  return { name, description };
}

const oneLine = (value: unknown): string =>
  typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
