// The corpus of "SSRF and OAuth": addresses that nobody may have us call. None of them is dialled: a connector records what
// would be. Driven by lib/mcp/transport/guarded-fetch.test.ts, lib/mcp/guarded-pool.test.ts (what the documents of a sign-in
// name) and ssrf.test.ts (what a sign-in sends and takes back).

/** Answers of a resolver; no real one is asked. */
export const names: Record<string, string[]> = {
  localhost: ["127.0.0.1", "::1"],
  "localhost.": ["127.0.0.1"],
  "inside.example": ["10.0.0.5"],
  "mixed.example": ["93.184.216.34", "192.168.1.1"],
  "mapped.example": ["::ffff:10.0.0.5"],
  "nat64.example": ["64:ff9b::a00:5"],
  "public.example": ["93.184.216.34"],
  "site.example": ["127.0.0.1"],
};

/** Spellings of addresses that are not public, and schemes that are not HTTP: refused, and nothing is dialled. */
export const refusedAddresses = [
  "http://127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.0.0.1/",
  "http://0177.0.0.1/",
  "http://017700000001/",
  "http://127.0.0.1./",
  "http://１２７.０.０.１/",
  "http://①②⑦.0.0.1/",
  "http://127。0。0。1/",
  "http://localhost/",
  "http://localhost./",
  "http://LOCALHOST/",
  "http://[::1]/",
  "http://[0:0:0:0:0:0:0:1]/",
  "http://[::]/",
  "http://0.0.0.0/",
  "http://0/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[64:ff9b:1::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  "http://[fc00::1]/",
  "http://[fd12:3456::1]/",
  "http://10.0.0.1/",
  "http://172.16.0.1/",
  "http://192.168.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/",
  "http://100.64.0.1/",
  "http://198.18.0.1/",
  "http://192.0.0.1/",
  "http://224.0.0.1/",
  "http://[ff02::1]/",
  "http://255.255.255.255/",
  "http://240.0.0.1/",
  "http://192.0.2.1/",
  "http://[2001:db8::1]/",
  "http://[2001::1]/",
  "http://[4000::1]/",
  "http://inside.example/",
  "http://mixed.example/",
  "http://mapped.example/",
  "http://nat64.example/",
  "https://inside.example/",
  "http://user:pass@public.example/",
  "http://user@127.0.0.1/",
  "http://public.example@127.0.0.1/",
  "file:///etc/passwd",
  "gopher://127.0.0.1/",
  "ftp://127.0.0.1/",
  "ws://127.0.0.1/",
  "data:text/plain,hello",
];

/** Places inside to which the documents of a sign-in may try to lead. */
export const insidePlaces = [
  "http://169.254.169.254",
  "http://10.0.0.5",
  "http://127.0.0.1:9",
  "http://[::1]:9",
  "http://inside.example",
  "https://mixed.example",
];

/** Pages to which no browser is sent to sign in. */
export const refusedLoginPages = [
  "javascript:alert(1)",
  "data:text/html,hello",
  "file:///etc/passwd",
  "https://user:secret@auth.example/authorize",
  "http://auth.example/authorize",
];
