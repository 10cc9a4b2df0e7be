import { expect, test } from "vitest";
import { StatedCause } from "./stated-cause";

const causeOf = (text: string) => {
  const cause = new StatedCause();
  for (const line of text.split("\n")) cause.add(line);
  return cause.text;
};

/** Real output of Node, npm, Python, Docker and shells. */
test.each([
  [
    "a module of Node that is not there",
    `node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/srv/dist/index.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at node:internal/main/run_main_module:36:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.21.0`,
    "Error: Cannot find module '/srv/dist/index.js'",
  ],
  [
    "an error thrown by a server itself",
    `Starting
file:///srv/index.js:12
    throw new Error("API_KEY is required");
          ^

Error [ERR_CONFIG]: API_KEY is required
    at file:///srv/index.js:12:11

Node.js v24.21.0`,
    "Error [ERR_CONFIG]: API_KEY is required",
  ],
  [
    "a package that does not exist",
    `npm warn exec The following package was not found and will be installed: x@1.0.0
npm error code E404
npm error 404 Not Found - GET https://registry.example/x - Not found
npm error 404
npm error A complete log of this run can be found in: /home/me/.npm/_logs/x.log`,
    "npm error 404 Not Found - GET https://registry.example/x - Not found",
  ],
  [
    "a trace of Python",
    `Traceback (most recent call last):
  File "/srv/main.py", line 1, in <module>
    import nothing
ModuleNotFoundError: No module named 'nothing'`,
    "ModuleNotFoundError: No module named 'nothing'",
  ],
  [
    "Docker",
    `docker: Error response from daemon: pull access denied for x
See 'docker run --help'.`,
    "docker: Error response from daemon: pull access denied for x",
  ],
  [
    "a usage",
    "error: unexpected argument '--x'\n\nUsage: server [OPTIONS]\n",
    "error: unexpected argument '--x'",
  ],
  ["a shell", "sh: 1: mcp-thing: not found\nhint: none\n", "sh: 1: mcp-thing: not found"],
  [
    "words without the name of an error",
    "loading\nDATABASE_URL is required\nbye",
    "DATABASE_URL is required",
  ],
  ["colours", "\u001b[31mError: red\u001b[0m\n}", "Error: red"],
  ["nothing but a last word", "listening\nbye\n\n", "bye"],
])("of %s the line that names the cause is told", (_what, text, said) => {
  expect(causeOf(text)).toBe(said);
});

test("silence has no cause, an old complaint is forgotten, and a long one is cut", () => {
  expect(causeOf("\n }\n")).toBeUndefined();
  expect(causeOf(`Error: long ago\n${"at work\n".repeat(60)}`)).toBe("at work");
  expect(causeOf(`Error: ${"x".repeat(10_000)}`)).toHaveLength(300);
});
