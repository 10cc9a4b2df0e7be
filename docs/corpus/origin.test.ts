import { expect, test } from "vitest";
import { callApi, withApplication } from "@/app/api/testing/call-api";
import { cookiesOf } from "@/app/api/testing/people";
import { foreignHosts, foreignPages, foreignScripts, formTypes } from "./origin";

withApplication({});

// As Next.js hands them over, without proxy.ts before them: each handler has to refuse by itself.
const modules = import.meta.glob<Record<string, { [key: symbol]: unknown }>>("../../app/api/**/route.ts", {
  eager: true,
});
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const guarded = Symbol.for("meguri.guarded");

/** With a name for each part of the path that is one. */
const routes = Object.entries(modules).flatMap(([file, module]) => {
  const path = file.replace(/^.*\/app\/api/, "/api").replace(/\/route\.ts$/, "");
  if (path.includes("[...")) return [];
  const address = path.replaceAll(/\[\w+\]/g, "01a21ae1-f288-740d-9318-4b236f08a9f4");
  return methods.flatMap((method) =>
    method in module ? [{ method, path: address, access: module[method]?.[guarded] }] : [],
  );
});
const isMutating = (method: string) => method !== "GET" && method !== "HEAD";
const changing = routes.filter(({ method }) => isMutating(method));
const bodyOf = (method: string) => (isMutating(method) && method !== "DELETE" ? "{}" : undefined);

async function refusal(method: string, path: string, headers: Record<string, string>) {
  const response = await callApi(method, path, bodyOf(method), headers);
  const text = await response.text();
  const { error } = text ? JSON.parse(text) : {};
  // OAuth's errors are their code.
  return [response.status, error?.code ?? error];
}

test("there are routes to walk", () => {
  expect(routes.length).toBeGreaterThan(100);
  expect(changing.length).toBeGreaterThan(60);
});

test("without proxy.ts every handler that needs a person answers 401", async () => {
  const named = routes.filter(({ access }) => access === "session" || access === "admin");
  expect(named.length).toBeGreaterThan(90);
  for (const { method, path } of named)
    for (const authorization of ["", "Bearer ", "Bearer wrong", "Basic token-for-tests-only"])
      expect(
        (await refusal(method, path, { authorization, origin: "http://127.0.0.1:3999" }))[0],
        `${method} ${path} with ${authorization}`,
      ).toBe(401);
});

test("without proxy.ts every handler refuses a name that is not ours", async () => {
  for (const { method, path, access } of routes) {
    // Balancers and monitoring ask by an address of their own; there is nothing of people in the answer.
    if (access === undefined || access === "probe") continue;
    for (const host of foreignHosts(3999)) {
      const [status, code] = await refusal(method, path, { host });
      expect([status, method === "HEAD" ? "forbidden_host" : code], `${method} ${path} as ${host}`).toEqual([
        403,
        "forbidden_host",
      ]);
    }
  }
});

test("what answers under any name says nothing but whether it works", async () => {
  const probes = routes.filter(({ access }) => access === "probe").map(({ path }) => path);
  expect(probes.toSorted()).toEqual(["/api/health", "/api/metrics", "/api/ready"]);
  for (const host of foreignHosts(3999)) {
    const told = probes.map(async (path) => {
      const answer = await callApi("GET", path, undefined, { host, authorization: "" });
      return [path, answer.status, Object.keys(JSON.parse(await answer.text()))];
    });
    expect(await Promise.all(told)).toEqual(
      expect.arrayContaining([
        ["/api/health", 200, ["status"]],
        ["/api/metrics", 404, ["error"]],
        ["/api/ready", 200, ["status"]],
      ]),
    );
  }
});

test("without proxy.ts no page and no script of another site gets a change through", async () => {
  const signedIn = await callApi("GET", "/api/session?token=token-for-tests-only", undefined, {
    authorization: "",
  });
  const cookie = cookiesOf(signedIn);
  const pages = foreignPages(3999).map((headers) => ({ ...headers, cookie, authorization: "" }));
  const own = { cookie, authorization: "", origin: "http://127.0.0.1:3999" };
  expect((await callApi("PATCH", "/api/settings", { titles: "words" }, own)).status).toBe(200);
  for (const { method, path, access } of changing)
    for (const headers of [...pages, ...foreignScripts]) {
      // Whoever asks there needs no cookie: a program, which has no page.
      if (access === "public" && !("origin" in headers || "sec-fetch-site" in headers)) continue;
      expect(
        await refusal(method, path, headers),
        `${method} ${path} with ${JSON.stringify(headers)}`,
      ).toEqual([403, "forbidden_origin"]);
    }
});

test("without proxy.ts no form gets a body through", async () => {
  const withBody = changing.filter(
    ({ method, path }) => method !== "DELETE" && !path.endsWith("/attachments"),
  );
  for (const { method, path } of withBody)
    for (const type of formTypes)
      expect(
        (await refusal(method, path, { "content-type": type }))[0],
        `${method} ${path} as ${type}`,
      ).toBeGreaterThanOrEqual(400);
});
