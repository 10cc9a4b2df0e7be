import { hasSecretShape } from "@/lib/protocol/secret-shapes";
import { isSecretName } from "./mask-config";

/** As `expandVariables` reads them. Every repetition is bounded, so that a hostile text cannot take quadratic time. */
const reference =
  /(\$\{(?:secret:[\w-]{1,64}|input:[^}$]{1,200}|(?:env:)?[A-Za-z_]\w{0,127}(?::-[^}$]*)?)\})/;
const references = new RegExp(reference, "g");

/** Every second piece is a reference. */
export const splitReferences = (text: string): string[] => text.split(reference);

/** The text without its references, but with their defaults. */
export const literalOf = (text: string): string =>
  text.replace(references, (found) => /:-([^}]*)\}$/.exec(found)?.[1] ?? "");

/** Additional names that count as secret in a copy that leaves this machine; the value may be anything but a path. */
const strictName = /pass|pwd|bearer|jwt|(?:^|[_-])(?:pin|pat|pw|otp)$/i;
const looseName = /key|seed|salt|mnemonic|dsn|conn.*str|webhook|login|session(?:.?id)?$|^u$|^user(?:name)?$/i;

export const isNamedSecret = (name: string): boolean => isSecretName(name) || strictName.test(name);

/**
 * How a text is judged. `value`: almost anything may be a secret; `word`: packages, flags and the like are not; `text`:
 * only random characters are.
 */
export type Place = "value" | "word" | "text";

const maxHarmless = 4_000;

/** Plainly not a secret, in a copy that leaves this machine; addresses are judged part by part. */
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

/** Numbers, switches and addresses are no secrets, whatever their name: MAX_TOKENS, AUTH_URL. */
export const isSetting = (value: string): boolean =>
  /^(?:-?\d{1,7}(?:\.\d+)?|true|false|yes|no|on|off|none)$/i.test(value) ||
  /^https?:\/\/[^\s?@]+$/i.test(value);

/** Placeholders of instructions, such as "your-api-key". */
export const isPlaceholder = (value: string): boolean =>
  /^(?:<.*>|\[.*\]|\.{3}|…|x{3,}|\*{3,}|(?:your|my|insert|replace|enter|put)[-_ ].*|.*[-_ ]here)$/i.test(
    value,
  );

const pair =
  /([\w-]{1,64})(\\{0,3}["']|)\s{0,8}([:=])(\s{0,8})\\{0,3}["']?(?:(?:Bearer|Basic|Token)\s{1,8})?([^\s\\"',;&}]{1,200})/gi;

/** A text with a secret and its name in it: JSON, headers, `password=x`; with `colon` also `password:x`. */
function hasPair(text: string, colon: boolean): boolean {
  for (const [, name = "", quote, sign, gap, value = ""] of text.slice(0, maxHarmless).matchAll(pair)) {
    const isBare = sign === ":" && !quote && !gap;
    if ((isBare && !colon) || /^(?:true|false)$/i.test(value) || isPlaceholder(value)) continue;
    // `secrets:/run/secrets` is a folder that is mounted into a container.
    if ((isBare || !colon) && /^[/.~]/.test(value)) continue;
    if (colon ? isNamedSecret(name) : isSecretName(name) && !isSetting(value)) return true;
  }
  return false;
}

/** One path or several, as in PATH. */
function isPath(text: string): boolean {
  const paths = /^[A-Za-z]:[\\/]/.test(text) ? [text.slice(2)] : text.split(":");
  return paths.every((path) => {
    if (path === "") return true;
    const steps = path.split(/[\\/]/).filter((step) => isRandom(step, 8));
    // A single part may be the hash of a cache; a secret with slashes has several.
    const isPlain = steps.length <= 1 && steps.every((step) => step.length < 17);
    return isPlain && /^(?:\.{0,2}|~)[\\/][^\p{Cc}=?"'`{}$;|<>&]*$/u.test(path);
  });
}

/** Names of packages, models, images and files, versions, flags, addresses without a user. */
const isPlainWord = (text: string): boolean =>
  /^[\p{L}\p{M}\p{N}@/\\._:+~,#*^<>=!%[\]()-]*$/u.test(text) &&
  !/:\/\/[^/]*@/.test(text) &&
  hasPlainParts(text.replace(/@sha256:[0-9a-f]{64}$/, ""));

/** Digits and letters mixed in a long word that does not consist of plain words. */
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
