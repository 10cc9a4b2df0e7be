import { expect, test } from "vitest";
import { secretsOf } from "./secrets-of";

const variables = {
  env: { KEY: "value-of-key", PART: "value-of-part" },
  reserved: [],
  root: "/",
  dataDir: "/",
};

test("what a variable gives to a header or an address is a secret, whatever the header is called", () => {
  const entry = {
    url: `https://mcp.example/\${PART}/mcp?zone=plain-parameter`,
    headers: { "X-Client": `id=\${env:KEY}`, Accept: "application/json" },
  };
  expect(secretsOf(entry, variables)).toEqual(["value-of-key", "value-of-part"]);
});
