import { hasSecretShape } from "@/lib/protocol/secret-shapes";
import { isSecretName } from "./mask-config";

/** As `expandVariables` puts them in; every repetition has its end, so that a hostile text is read in no time. */
const reference =
  /(\$\{(?:secret:[\w-]{1,64}|input:[^}$]{1,200}|(?:env:)?[A-Za-z_]\w{0,127}(?::-[^}$]*)?)\})/;
const references = new RegExp(reference, "g");

/** Every second piece is a reference, as it is written. */
export const splitReferences = (text: string): string[] => text.split(reference);

/** What stands there in clear: the text without its references, with what these fall back on. */
export const literalOf = (text: string): string =>
  text.replace(references, (found) => /:-([^}]*)\}$/.exec(found)?.[1] ?? "");

/** Names that are seen as secret ones in a copy that leaves this machine: whatever stands there, and what is no path. */
const strictName = /pass|pwd|bearer|jwt|(?:^|[_-])(?:pin|pat|pw|otp)$/i;
const looseName = /key|seed|salt|mnemonic|dsn|conn.*str|webhook|login|session(?:.?id)?$|^u$|^user(?:name)?$/i;

export const isNamedSecret = (name: string): boolean => isSecretName(name) || strictName.test(name);

/** `value`: nearly whatever stands there may be secret; `word`: packages, flags and the like are not; `text`: only what is random is. */
export type Place = "value" | "word" | "text";

const maxHarmless = 4_000;

/** Plainly no secret, for a copy that leaves this machine; addresses are judged by their parts. */
export function isHarmless(name: string, text: string, place: Place): boolean {
  const literal = literalOf(text);
  if (/^(?:(?:Bearer|Basic|Token)\s+|true|false)?$/i.test(literal)) return true;
  if (literal.length > maxHarmless || isNamedSecret(name)) return false;
  if (hasSecretShape(literal) || hasPair(literal, true)) return false;
  if (isPath(literal)) return true;
  if (looseName.test(name)) return false;
  if (place === "text") return !literal.split(/\s+/).some((word) => isRandom(word, 16));
  if (/^-?\d{1,7}(?:\.\d{1,7})?$/.test(literal)) return true;
  return place === "word" ? isPlainWord(literal) : /^[\w-]{1,7}$/.test(literal);
}

/** Named like a secret, or looks like one. */
export const isClear = (name: string, value: string): boolean =>
  value !== "" &&
  !value.includes("••••") &&
  (hasSecretShape(value) ||
    hasPair(value, false) ||
    (/key$/i.test(name) && isRandom(value, 20)) ||
    (isSecretName(name) &&
      (!isSetting(value) || (/(?:pass|passwd|password|passphrase|pwd)$/i.test(name) && /^\d/.test(value)))));

/** Numbers, switches and addresses, which are no secrets whatever they are called: MAX_TOKENS, AUTH_URL. */
export const isSetting = (value: string): boolean =>
  /^(?:-?\d{1,7}(?:\.\d+)?|true|false|yes|no|on|off|none)$/i.test(value) ||
  /^https?:\/\/[^\s?@]+$/i.test(value);

/** What a page of instructions writes in place of a value. */
export const isPlaceholder = (value: string): boolean =>
  /^(?:<.*>|\[.*\]|\.{3}|…|x{3,}|\*{3,}|(?:your|my|insert|replace|enter|put)[-_ ].*|.*[-_ ]here)$/i.test(
    value,
  );

const pair =
  /([\w-]{1,64})(\\{0,3}["']|)\s{0,8}([:=])(\s{0,8})\\{0,3}["']?(?:(?:Bearer|Basic|Token)\s{1,8})?([^\s\\"',;&}]{1,200})/gi;

/** A text with a secret and its name in it: JSON, headers, `password=x`; `colon`, also `password:x`. */
function hasPair(text: string, colon: boolean): boolean {
  for (const [, name = "", quote, sign, gap, value = ""] of text.slice(0, maxHarmless).matchAll(pair)) {
    const isBare = sign === ":" && !quote && !gap;
    if ((isBare && !colon) || /^(?:true|false)$/i.test(value) || isPlaceholder(value)) continue;
    // `secrets:/run/secrets` is a folder that a container gets.
    if ((isBare || !colon) && /^[/.~]/.test(value)) continue;
    if (colon ? isNamedSecret(name) : isSecretName(name) && !isSetting(value)) return true;
  }
  return false;
}

/** One or more, as in PATH. */
function isPath(text: string): boolean {
  const paths = /^[A-Za-z]:[\\/]/.test(text) ? [text.slice(2)] : text.split(":");
  return paths.every((path) => {
    if (path === "") return true;
    const steps = path.split(/[\\/]/).filter((step) => isRandom(step, 8));
    // One may be the hash of a cache; a secret with slashes in it makes several.
    const isPlain = steps.length <= 1 && steps.every((step) => step.length < 17);
    return isPlain && /^(?:\.{0,2}|~)[\\/][^\p{Cc}=?"'`{}$;|<>&]*$/u.test(path);
  });
}

/** Names of packages, models, images and files, versions, flags, addresses without a user. */
const isPlainWord = (text: string): boolean =>
  /^[\p{L}\p{M}\p{N}@/\\._:+~,#*^<>=!%[\]()-]*$/u.test(text) &&
  !/:\/\/[^/]*@/.test(text) &&
  hasPlainParts(text.replace(/@sha256:[0-9a-f]{64}$/, ""));

/** Digits and letters one after the other, in a long word that is not made of plain ones. */
export const isRandom = (text: string, least: number): boolean =>
  text.length >= least && /\d/.test(text) && /\p{L}/u.test(text) && !hasPlainParts(text);

/** `github`, `GitHub2`, `README`, `getUserById`; `20250821`; `k8s`, `i18next`. */
const plainPart =
  /^(?:(?:\p{Lu}{0,20}|\p{Lu}{0,4}\p{Ll}{1,20}(?:\p{Lu}{1,4}\p{Ll}{1,20}){0,3}\p{Lu}{0,3})\d{0,3}|\d{1,8}|[\p{L}\d]{1,4}|[\p{Ll}\d]{1,7}|[\p{Lu}\d]{1,7})$/u;

function hasPlainParts(text: string): boolean {
  const parts = text.split(/[^\p{Lu}\p{Ll}\p{N}]+/u);
  const mixed = parts.filter((part) => /\d/.test(part) && /\p{L}/u.test(part));
  const humps = text.match(/\p{Ll}\p{Lu}/gu) ?? [];
  return (
    mixed.length <= 3 &&
    humps.length <= 4 &&
    parts.every((part) => part.length <= 24 && plainPart.test(part)) &&
    !/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/i.test(text)
  );
}
