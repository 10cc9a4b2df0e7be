import { readUrl } from "@/lib/mcp/config/launch";
import { assertEntry, httpTypes } from "@/lib/mcp/config/parse-config";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { HttpError } from "@/lib/server/http/errors";

/** What runs on this machine, reads its files, reaches into its network, or speaks for the operator. */
const operators = ["command", "args", "env", "cwd", "roots", "privateHosts", "sampling", "mayEscalate"];

const allowed = [
  ...["type", "url", "headers", "oauth", "disabled", "disabledTools", "deferred"],
  ...["toolExecution", "timeout", "initTimeout"],
];

const maxCharacters = 20_000;

/** Throws for an entry that a person may not have for themselves: 403 for what only an admin sets up, else 400. */
export function checkOwnEntry(name: string, config: McpServerConfig): void {
  const forbidden = operators.find((field) => Object.hasOwn(config, field));
  if (forbidden !== undefined || config.type === "stdio")
    throw new HttpError(
      403,
      "forbidden",
      `${forbidden ?? "type"}: a server of your own is reached at a url. What runs on this machine, reads its files or its network is set up by an admin.`,
    );
  assertEntry(name, config);
  if (config.oauth?.grant === "id_jag")
    throw new HttpError(
      403,
      "forbidden",
      "oauth.grant: what the identity provider says of you goes to servers alone that an admin has set up; leave it out, and sign in there.",
    );
  const unknown = Object.keys(config).find((field) => !allowed.includes(field));
  if (unknown !== undefined)
    throw new HttpError(
      400,
      "invalid_input",
      `${unknown}: the entry of a server of your own has no such field.`,
    );
  if (config.type === "sse" || (config.type !== undefined && !httpTypes.some((type) => type === config.type)))
    throw new HttpError(
      400,
      "invalid_input",
      "type: a server of your own speaks Streamable HTTP; write http.",
    );
  const text = JSON.stringify(config);
  if (text.length > maxCharacters)
    throw new HttpError(
      400,
      "invalid_input",
      `${name}: the entry of a server of your own may have at most ${maxCharacters} characters.`,
    );
  if (/\$\{(?!secret:[\w-]{1,64}\})/.test(text))
    throw new HttpError(
      400,
      "invalid_input",
      `${name}: of the references only \${secret:NAME} is possible in a server of your own, as the others read this machine.`,
    );
  // A secret stands in its path or its query: whoever reads the entry sees where everything goes.
  if (!URL.canParse(config.url ?? "") || /^[^/]*\/\/[^/?#]*\$\{/.test(config.url ?? ""))
    throw new HttpError(400, "invalid_input", "url: write the host out, like https://example.com/mcp.");
  readUrl(config.url ?? "");
}
