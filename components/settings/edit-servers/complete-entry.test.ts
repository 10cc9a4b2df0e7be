import { expect, test } from "vitest";
import { completeEntry } from "./complete-entry";

/** `|` is the caret; the text with the named completion put in. */
const put = (text: string, label: string, inFile = false) => {
  const at = text.indexOf("|");
  const plain = text.replace("|", "");
  const found = completeEntry(plain, at, inFile);
  const option = found?.options.find((one) => one.label === label);
  return found && option ? plain.slice(0, found.from) + option.apply + plain.slice(found.to) : undefined;
};

test.each([
  ["{|}", "command", '{"command": "npx"}'],
  ['{"com|"}', "command", '{"command": "npx"}'],
  ["{com|}", "command", '{"command": "npx"}'],
  ['{"x|": 1}', "timeout", '{"timeout": 1}'],
  ['{"command": "x", |}', "command", undefined],
  ['{"command": "x", "|"}', "disabled", '{"command": "x", "disabled": true}'],
  ['{"type": |}', '"http"', '{"type": "http"}'],
  ['{"type": "h|"}', '"sse"', '{"type": "sse"}'],
  ['{"scope": |}', '"user"', '{"scope": "user"}'],
  ['{"roles": |}', '["member"]', '{"roles": ["member"]}'],
  ['{"disabled": t|}', "false", '{"disabled": false}'],
  ['{"command": "|"}', "true", undefined],
  ['{"env": {"|"}}', "command", undefined],
])("%s with %s", (text, label, expected) => {
  expect(put(text, label)).toBe(expected);
});

test.each([
  [
    '{"mcpServers": {"a": {"command": "x"}, "b": {|}}}',
    "command",
    '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "npx"}}}',
  ],
  ['{"mcpServers": {"b": {"command": "x", "|"}}}', "command", undefined],
  ['{"mcpServers": {"b": {"type": |}}}', '"sse"', '{"mcpServers": {"b": {"type": "sse"}}}'],
  ['{"mcpServers": {"|"}}', "command", undefined],
  ['{"other": {"b": {|}}}', "command", undefined],
])("in a file: %s with %s", (text, label, expected) => {
  expect(put(text, label, true)).toBe(expected);
});
