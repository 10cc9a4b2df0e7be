import { expect, test } from "vitest";
import { hideSecrets, secretNamesIn } from "./hide-secrets";

const ref = (name: string) => `\${secret:${name}}`;
const token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

test("what is named or looks like a secret becomes a reference, the rest stays", () => {
  const { config, secrets } = hideSecrets(
    {
      command: "npx",
      args: [
        ...["-y", "mcp-remote", "https://x.example/mcp", "--header", "Authorization: Bearer abc123"],
        ...["--api-key", "k-1", "--password=p w", "--limit", "100", `postgres://me:pw@db/x`, "--token", "-y"],
      ],
      env: {
        API_TOKEN: "t-1",
        OTHER: token,
        MAX_TOKENS: "4096",
        AUTH_URL: "https://x.example/a",
        MODE: "fast",
      },
    },
    "clear",
  );
  expect(config).toEqual({
    command: "npx",
    args: [
      ...[
        "-y",
        "mcp-remote",
        "https://x.example/mcp",
        "--header",
        `Authorization: Bearer ${ref("Authorization")}`,
      ],
      ...["--api-key", ref("api-key"), `--password=${ref("password")}`, "--limit", "100", ref("SECRET")],
      ...["--token", "-y"],
    ],
    env: {
      ...{ API_TOKEN: ref("API_TOKEN"), OTHER: ref("OTHER"), MAX_TOKENS: "4096" },
      ...{ AUTH_URL: "https://x.example/a", MODE: "fast" },
    },
  });
  expect(secrets.map(({ name, field, value }) => `${name} ${field} ${value}`)).toEqual([
    "API_TOKEN env.API_TOKEN t-1",
    `OTHER env.OTHER ${token}`,
    "Authorization args[4] abc123",
    "api-key args[6] k-1",
    "password args[7] p w",
    "SECRET args[10] postgres://me:pw@db/x",
  ]);
});

test.each([
  [
    ["-e", "API_KEY=abc"],
    ["-e", `API_KEY=${ref("API_KEY")}`],
  ],
  [
    ["--env", "API_KEY=a=b"],
    ["--env", `API_KEY=${ref("API_KEY")}`],
  ],
  [["--env=API_KEY=abc"], [`--env=API_KEY=${ref("API_KEY")}`]],
  [
    ["env", "DB_PASSWORD=p w", "x"],
    ["env", `DB_PASSWORD=${ref("DB_PASSWORD")}`, "x"],
  ],
  [
    ["-e", "API_KEY", "-e", "MODE=fast", "x==1.2"],
    ["-e", "API_KEY", "-e", "MODE=fast", "x==1.2"],
  ],
])("a variable that is handed on in the arguments %j is found", (args, expected) => {
  expect(hideSecrets({ command: "docker", args }, "clear").config.args).toEqual(expected);
});

test("an address keeps everything but the secret of its parameters, as it was written", () => {
  const { config, secrets } = hideSecrets(
    {
      url: "https://x.example/mcp?a=1&api_key=a%20b&x=y#f",
      headers: { Authorization: "Bearer abc", "X-Key": "public", Cookie: `\${env:COOKIE}` },
      oauth: { clientId: "me", clientSecret: "s" },
    },
    "clear",
  );
  expect(config).toEqual({
    url: `https://x.example/mcp?a=1&api_key=${ref("api_key")}&x=y#f`,
    headers: { Authorization: `Bearer ${ref("Authorization")}`, "X-Key": "public", Cookie: `\${env:COOKIE}` },
    oauth: { clientId: "me", clientSecret: ref("clientSecret") },
  });
  expect(secrets.map(({ value }) => value)).toEqual(["abc", "a%20b", "s"]);
});

test("one value under one name is one secret, two values are two, and references keep theirs", () => {
  const { config, secrets } = hideSecrets(
    {
      command: "x",
      args: ["--token", "one", "--token", "two", "--token", "one"],
      env: { KEY: ref("token") },
    },
    "clear",
  );
  expect(config.args).toEqual([
    "--token",
    ref("token_2"),
    "--token",
    ref("token_3"),
    "--token",
    ref("token_2"),
  ]);
  expect(secrets.map(({ name, value }) => [name, value])).toEqual([
    ["token", undefined],
    ["token_2", "one"],
    ["token_3", "two"],
  ]);
});

test.each(["<YOUR_TOKEN>", "your-api-key", "xxxx", "...", "paste-it-here", "[token]"])(
  "%s is to be filled in, not to be kept",
  (value) => {
    const { secrets } = hideSecrets({ command: "x", env: { TOKEN: value } }, "clear");
    expect(secrets).toEqual([{ name: "TOKEN", field: "env.TOKEN", label: null }]);
  },
);

test("who keeps secrets in clear still fills in what is missing", () => {
  const { config, secrets } = hideSecrets(
    { command: "x", env: { A_TOKEN: "t", B_TOKEN: "<token>" } },
    "placeholders",
  );
  expect(config.env).toEqual({ A_TOKEN: "t", B_TOKEN: ref("B_TOKEN") });
  expect(secrets.map(({ name }) => name)).toEqual(["B_TOKEN"]);
});

test("a copy that leaves this machine keeps only what is plainly harmless", () => {
  const env = {
    ODD: "correct horse",
    PATH_OF: "./x/y",
    PORT: "8080",
    MODE: "fast",
    DATA: `\${dataFolder}/m`,
  };
  const { config } = hideSecrets({ command: "x", env }, "all");
  expect(config.env).toEqual({ ...env, ODD: ref("ODD") });
});

test("values that would take a pattern long are read in no time", () => {
  const long = { command: "x", args: ["?".repeat(200_000), "eyJ-".repeat(50_000), "a-".repeat(100_000)] };
  expect(hideSecrets({ ...long, url: "https://x/?".padEnd(200_000, "?") }, "clear").secrets).toEqual([]);
});

test("names are those that stand in the entry", () => {
  expect(
    secretNamesIn({ command: ref("a"), env: { X: `${ref("b")}${ref("a")}`, Y: `\${secret:}` } }),
  ).toEqual(["a", "b"]);
});

test.each([
  "MYSQL_PASS",
  "DB_PASS",
  "SMTPPASS",
  "REDIS_PWD",
  "SSH_PASSPHRASE",
  "JIRA_PAT",
  "jira.pat",
  "dbPass",
  "userPwd",
  "adminPassPhrase",
  "githubPat",
])("the value of %s is a secret, a number too, and what is to be filled in is asked for", (name) => {
  for (const value of ["hunter2", "123456", "correct horse"]) {
    if (value === "123456" && /pat$/i.test(name)) continue;
    const { config, secrets } = hideSecrets({ command: "x", env: { [name]: value } }, "clear");
    expect(config.env).toEqual({ [name]: ref(secrets[0]?.name ?? "") });
    expect(secrets).toMatchObject([{ field: `env.${name}`, value }]);
  }
  const { secrets } = hideSecrets({ command: "x", env: { [name]: "your_password" } }, "clear");
  expect(secrets).toEqual([{ name: secrets[0]?.name, field: `env.${name}`, label: null }]);
});

test.each([
  ["PATH", "/usr/bin"],
  ["PWD", "/home/me"],
  ["OLDPWD", "/home/me"],
  ["COMPASS", "north west"],
  ["BYPASS", "local hosts"],
  ["PATTERN", "some words"],
  ["PASSIVE", "some words"],
  ["PATCH_FILE", "one.diff"],
])("%s is no name of a secret", (name, value) => {
  const config = { command: "x", env: { [name]: value } };
  expect(hideSecrets(config, "clear")).toEqual({ config, secrets: [] });
});

test.each<[string[], number]>([
  [["-u", "root", "-p", "hunter2"], 3],
  [["mysql-mcp", "-p", "your_password"], 2],
  [["mcp-jira", "-p", "mcp-like-word"], 2],
])("of %j the password is a secret", (args, at) => {
  for (const hiding of ["clear", "all"] as const) {
    const { config, secrets } = hideSecrets({ command: "npx", args }, hiding);
    expect(config.args?.[at]).toBe(ref("password"));
    expect(secrets.map(({ field }) => field)).toContain(`args[${at}]`);
  }
});

test.each<[string[]]>([
  [["run", "-p", "8080:80", "-p", "127.0.0.1:9000:9000", "-p", "localhost:80:80", "image"]],
  [["-y", "-p", "mongodb-mcp-server", "mongodb-mcp-server"]],
  [["-p", "3.12", "mcp-server-git"]],
  [["serve", "-p", "3000"]],
  [["serve", "-p", "./profile"]],
  [["exec", "-p", "@scope/server@latest"]],
])("in %j there is no password", (args) => {
  expect(hideSecrets({ command: "x", args }, "clear")).toMatchObject({ config: { args }, secrets: [] });
});
