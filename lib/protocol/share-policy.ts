import type { SharePolicy, ShownOfCall } from "./http";

/** What a policy shows of the calls of a tool, by its qualified name; the most exact entry wins. */
export function shownOf(name: string, { default: other, tools }: SharePolicy): ShownOfCall {
  const at = name.indexOf("__");
  const server = at < 0 ? name : name.slice(0, at);
  const own = (key: string) => (Object.hasOwn(tools, key) ? tools[key] : undefined);
  return own(name) ?? own(`${server}__*`) ?? other;
}
