import type { McpApprovalForm, McpServerConfig } from "@/lib/protocol/mcp";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { hideLiterals, referredVariables } from "./expand-variables";
import { argvOf, folderOf } from "./launch";
import { isSecretName, maskUrl } from "./mask-config";

const dots = "••••";
/** Not secret: how this client identifies itself to an authorization server. */
const plainOAuth = ["clientId", "clientMetadataUrl", "algorithm", "scope", "grant"];

/** The form that a person approves: references as they are written, literal values of environment and headers hidden. */
export function approvalForm(config: McpServerConfig, root: string): McpApprovalForm {
  const { url, headers = {}, env = {}, oauth, roots, sampling, privateHosts } = config;
  const offer = {
    ...(roots?.length && { roots: roots.map(escapeControls) }),
    ...(sampling && { sampling }),
    ...(privateHosts?.length && { privateHosts: privateHosts.map(escapeControls) }),
  };
  if (url === undefined)
    return {
      argv: argvOf(config).map(escapeControls),
      envNames: Object.keys(env).map(escapeControls),
      env: shownValues(env),
      cwd: escapeControls(folderOf(config, root)),
      ...offer,
    };
  const sends = sentVariables(config);
  return {
    url: escapeControls(shownUrl(url)),
    headerNames: Object.keys(headers).map(escapeControls),
    headers: shownValues(headers),
    ...(oauth && { oauth: shownValues(textsOf(oauth), plainOAuth) }),
    ...(sends.length > 0 && { sends, sendsTo: escapeControls(hostOf(url)) }),
    ...offer,
  };
}

/**
 * Environment variables whose values are sent to an HTTP server, or to the authorization server that its entry names;
 * sorted. None for a local process.
 */
export function sentVariables({ url, headers = {}, oauth = {}, roots = [] }: McpServerConfig): string[] {
  if (url === undefined) return [];
  const texts = [url, ...Object.values(headers), ...Object.values(textsOf(oauth)), ...roots];
  return [...new Set(texts.flatMap(referredVariables))].toSorted();
}

const textsOf = (fields: object): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === "string"));

const shownValues = (values: Record<string, string>, plain: readonly string[] = []) =>
  Object.entries(values).map(([name, value]) => ({
    name: escapeControls(name),
    value: escapeControls(plain.includes(name) ? value : showReferences(value)),
  }));

/** Hides the text around a reference, except for the scheme of a token. */
function showReferences(text: string): string {
  const scheme = /^(?:Bearer|Basic|Token)\s+/i.exec(text)?.[0] ?? "";
  return scheme + hideLiterals(text.slice(scheme.length), dots);
}

/** References in parameters that are named like a secret are shown too. */
function shownUrl(text: string): string {
  const [address = "", query] = splitOnce(text, "?");
  if (query === undefined) return maskUrl(text);
  const [parameters = "", hash] = splitOnce(query, "#");
  const shown = parameters.split("&").map((parameter) => {
    const [name = "", value] = splitOnce(parameter, "=");
    return value && isSecretName(decode(name)) ? `${name}=${showReferences(value)}` : parameter;
  });
  return `${maskUrl(address)}?${shown.join("&")}${hash === undefined ? "" : `#${hash}`}`;
}

function splitOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address with a reference in its host is shown as it is written. */
const hostOf = (url: string) =>
  URL.canParse(url) ? new URL(url).host : (/^\w+:\/\/([^/?#]*)/.exec(url)?.[1] ?? url);

/** Shows control, bidirectional and invisible characters as `\u202e`, so that nothing is hidden in what is approved. */
const escapeControls = (text: string): string =>
  showInvisible(text).replace(
    /[\n\r\t]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
