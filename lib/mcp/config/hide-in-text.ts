import { hasSecretShape } from "@/lib/protocol/secret-shapes";
import {
  isClear,
  isHarmless,
  isNamedSecret,
  isRandom,
  isSetting,
  literalOf,
  type Place,
  splitReferences,
} from "./judge-text";
import { isSecretName } from "./mask-config";

/** Replaces the secrets in texts with references. */
export interface Hider {
  /** Treats everything that is not plainly harmless as a secret. */
  all: boolean;
  /** Returns the reference that replaces the value. */
  hide(field: string, name: string, value: string): string;
}

/** Hides only the secret parts of an address; references in it are kept. */
export function hideText(hider: Hider, field: string, name: string, text: string, place: Place): string {
  const pieces = splitReferences(text);
  if (/^(?:git\+)?(?:https?|wss?):\/\//i.test(text)) {
    const isNamed = hider.all
      ? isNamedSecret(name)
      : pieces.length === 1 && isSecretName(name) && !isSetting(text);
    return isNamed ? hider.hide(field, name, text) : hideInAddress(hider, field, name, text);
  }
  if (hider.all) return isHarmless(name, text, place) ? text : hider.hide(field, name, text);
  const named = pieces.length === 1 ? name : "";
  return pieces
    .map((piece, index) =>
      index % 2 === 0 && isClear(named, piece) ? hider.hide(field, name, piece) : piece,
    )
    .join("");
}

const address = /^((?:[a-z][a-z\d+.-]*:\/\/)?)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;
const plainHost = /^(?:[\p{L}\d.-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/iu;

/** As it is written, so that replacing it gives the same address. */
export function hideInAddress(hider: Hider, field: string, name: string, text: string): string {
  const [, scheme = "", user, host = "", path = "", query = "", hash = ""] = address.exec(text) ?? [];
  // The default of a reference may look like a part of the address, or be secret.
  const isSplit = splitReferences(text).some(
    (piece, index) =>
      index % 2 === 1 && (/[/?#&@=]/.test(piece) || (hider.all && !isHarmless("", piece, "word"))),
  );
  if (isSplit || (hider.all && !plainHost.test(literalOf(host))))
    return hider.all && !isHarmless(name, text, "word") ? hider.hide(field, name, text) : text;
  const part = (piece: string) => hidePart(hider, field, "", name, piece);
  const hidden = [
    scheme,
    user === undefined ? "" : `${hideUser(hider, field, name, user)}@`,
    splitReferences(host)
      .map((piece, index) => (index % 2 === 0 ? hideLabels(hider, field, name, piece) : piece))
      .join(""),
    path.split("/").map(part).join("/"),
    hideParameters(hider, field, name, query),
    hideParameters(hider, field, name, hash),
  ].join("");
  const isWhole = hider.all && (hasSecretShape(literalOf(hidden)) || hidden.length > 4_000);
  return isWhole ? hider.hide(field, name, text) : hidden;
}

/** `git@` is no secret, nor is a user name whose password is a reference. */
function hideUser(hider: Hider, field: string, name: string, user: string): string {
  if (hider.all) return literalOf(user).replace(":", "") ? hider.hide(field, name, user) : user;
  const pieces = splitReferences(user);
  return pieces
    .map((piece, index) => {
      const isPlain = /^(?:git)?$|••••/.test(piece) || (pieces.length > 1 && /^[^:]*:$/.test(piece));
      return index % 2 === 1 || isPlain ? piece : hider.hide(field, name, piece);
    })
    .join("");
}

const hideLabels = (hider: Hider, field: string, name: string, host: string): string =>
  host
    .split(/([.:])/)
    .map((label) => (isRandom(label, 20) ? hider.hide(field, name, label) : label))
    .join("");

function hideParameters(hider: Hider, field: string, name: string, text: string): string {
  const parameters = text.slice(1).split("&");
  const hidden = parameters.map((parameter) => {
    const at = parameter.indexOf("=") + 1;
    const called = parameter.slice(0, Math.max(at - 1, 0));
    const place = field === "url" && called ? `url.${called}` : field;
    if (hider.all && !isHarmless("", called, "word")) return hider.hide(field, name, parameter);
    return (
      parameter.slice(0, at) + hidePart(hider, place, called, isName(called) || name, parameter.slice(at))
    );
  });
  return text.slice(0, 1) + hidden.join("&");
}

const isName = (text: string): string => (/^[\w.-]{1,64}$/.test(text) ? text : "");

function hidePart(hider: Hider, field: string, called: string, name: string, part: string): string {
  const isOurs = hider.all
    ? !isHarmless(called, part, "word")
    : literalOf(part) === part && (isClear(called, part) || isRandom(part, 20));
  return isOurs ? hider.hide(field, name, part) : part;
}

/** `--token x`, `--token=x`, `-e TOKEN=x`, `--header "Authorization: Bearer x"`, and words that look like a secret. */
export function hideInArguments(hider: Hider, field: string, args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const option = optionOf(args, index);
    const place = field === "args" ? `args[${index}]` : field;
    const isFlag = arg.startsWith("-") && !/^--?[\w.-]+=./.test(arg);
    if (!isFlag) return hideInArgument(hider, place, option, arg);
    const kind = isNamedSecret(option) ? "word" : "text";
    const isOurs = hider.all ? !isHarmless("", arg, kind) : isClear("", arg);
    return isOurs ? hider.hide(place, "", arg) : arg;
  });
}

/**
 * Judges a word by the option before it; `-p` is a port, a package or a version for some programs, a password for
 * others.
 */
function optionOf(args: readonly string[], index: number): string {
  const option = /^--?([\w.-]+)$/.exec(args[index - 1] ?? "")?.[1] ?? "";
  if (option !== "p") return option;
  const arg = args[index] ?? "";
  const isOther = /^[\d.:-]+$|:\d+|\/|^[.~@\\]|@(?:latest|\d)/.test(arg);
  // `npx -y -p package command`: only options come before it.
  const isFirst = args.slice(0, index - 1).every((before) => before.startsWith("-"));
  const runsPackage = isFirst && args.slice(index + 1).some((after) => !after.startsWith("-"));
  return isOther || runsPackage ? option : "password";
}

/** `--env=NAME=value` has one name inside another. */
const maxNames = 3;

function hideInArgument(hider: Hider, field: string, option: string, text: string, depth = 0): string {
  const isNamed = hider.all ? isNamedSecret(option) : isSecretName(option);
  const joined = depth < maxNames && !isNamed ? /^((?:--?)?([\w.-]+)=)(.+)$/s.exec(text) : null;
  if (joined) {
    const [, before = "", name = "", value = ""] = joined;
    return before + hideInArgument(hider, field, name, value, depth + 1);
  }
  const header = /^(?:headers?|H)$/.test(option)
    ? /^([\w-]+)(:\s*(?:(?:Bearer|Basic|Token)\s+)?)(.+)$/is.exec(text)
    : null;
  if (!header) return hideText(hider, field, option, text, "word");
  const [, name = "", before = "", value = ""] = header;
  return name + before + hideText(hider, field, name, value, "value");
}
