import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { buildConnector } from "undici";
import { afterEach, expect, test } from "vitest";
import { names, refusedAddresses } from "@/docs/corpus/ssrf";
import { createGuardedFetch, type GuardOptions } from "./guarded-fetch";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Records the addresses, and connects to none. */
function recorder(options: Partial<GuardOptions> = {}) {
  const dialled: string[] = [];
  const connect: buildConnector.connector = ({ hostname, port }, callback) => {
    dialled.push(`${hostname}:${port}`);
    callback(new Error("Recorded, not dialled."), null);
  };
  const guard = createGuardedFetch({ allowed: [], connect, ...options });
  closing.push(guard.close);
  return { ...guard, dialled };
}

const lookup = async (host: string) => names[host] ?? [];

test.each(refusedAddresses)("%s is refused before anything is dialled", async (url) => {
  const { fetch, dialled } = recorder({ lookup });
  await expect(fetch(url)).rejects.toThrow();
  expect(dialled).toEqual([]);
});

test("a public name is resolved once, and what was checked is dialled", async () => {
  let asked = 0;
  const changing = async () => (++asked === 1 ? ["93.184.216.34"] : ["127.0.0.1"]);
  const { fetch, dialled } = recorder({ lookup: changing });
  await expect(fetch("http://public.example:8080/mcp")).rejects.toThrow();
  expect({ asked, dialled }).toEqual({ asked: 1, dialled: ["93.184.216.34:8080"] });
});

test("a private address is reached where host and port are named, and nowhere else", async () => {
  const { fetch, dialled } = recorder({
    lookup,
    allowed: ["127.0.0.1:3001", "inside.example:80", "[::1]:3001"],
  });
  for (const url of ["http://127.0.0.1:3001/", "http://inside.example/", "http://[::1]:3001/"])
    await expect(fetch(url)).rejects.toThrow();
  expect(dialled).toEqual(["127.0.0.1:3001", "10.0.0.5:80", "::1:3001"]);
  for (const url of ["http://127.0.0.1:3002/", "http://10.0.0.5/", "http://localhost:3001/"])
    await expect(fetch(url)).rejects.toThrow();
  expect(dialled).toHaveLength(3);
});

test("addresses that are nobody's are refused also where they are named", async () => {
  const { fetch, dialled } = recorder({ allowed: ["169.254.169.254:80", "224.0.0.1:80", "0.0.0.0:80"] });
  for (const host of ["169.254.169.254", "224.0.0.1", "0.0.0.0"])
    await expect(fetch(`http://${host}/`)).rejects.toThrow();
  expect(dialled).toEqual([]);
});

test("a redirect is handed back and not followed", async () => {
  const { url, allowed } = await serve((_request, response) =>
    response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  );
  const guard = createGuardedFetch({ allowed });
  closing.push(guard.close);
  const response = await guard.fetch(url);
  expect([response.status, response.headers.get("location")]).toEqual([302, "http://169.254.169.254/"]);
});

test("of several addresses the next one is tried when one does not answer", async () => {
  const { url, port } = await serve((_request, response) => response.end("here"));
  const guard = createGuardedFetch({
    allowed: [`two.example:${port}`],
    lookup: async () => ["127.0.0.2", "127.0.0.1"],
  });
  closing.push(guard.close);
  const response = await guard.fetch(url.replace("127.0.0.1", "two.example"));
  expect(await response.text()).toBe("here");
});

test("a body of more than 10 MB is broken off", async () => {
  const { url, allowed } = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write("[");
    const write = () => {
      while (!response.destroyed && response.write("0,".repeat(32_768)));
      response.once("drain", write);
    };
    write();
  });
  const guard = createGuardedFetch({ allowed });
  closing.push(guard.close);
  const response = await guard.fetch(url);
  await expect(response.text()).rejects.toThrow("more than 10 MB");
});

test("answers are asked for without compression, and one that is compressed is refused before it is unpacked", async () => {
  const asked: (string | undefined)[] = [];
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const { url, allowed } = await serve((request, response) => {
    asked.push(request.headers["accept-encoding"]);
    if (request.url === "/") return response.end("plain");
    response.writeHead(200, { "content-encoding": "GZip", "content-type": "application/json" }).end(bomb);
  });
  const guard = createGuardedFetch({ allowed });
  closing.push(guard.close);
  expect(await (await guard.fetch(url)).text()).toBe("plain");
  const before = process.memoryUsage().arrayBuffers;
  await expect(guard.fetch(`${url}bomb`, { headers: { "accept-encoding": "gzip" } })).rejects.toMatchObject({
    message: "fetch failed",
    cause: { message: "Its answers are compressed (gzip), which it was asked not to do." },
  });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  expect(asked).toEqual(["identity", "identity"]);
});

test("answers that are held back, as while a person is asked, do not hold up the next one", async () => {
  const held = 200;
  let came = 0;
  const { url, allowed } = await serve((request, response) => {
    if (request.url === "/") return response.end("at once");
    came++;
    response.writeHead(200).flushHeaders();
  });
  const guard = createGuardedFetch({ allowed });
  closing.push(guard.close);
  const open = await Promise.all(Array.from({ length: held }, () => guard.fetch(`${url}held`)));
  expect(came).toBe(held);
  const soon = { signal: AbortSignal.timeout(10_000) };
  expect(await (await guard.fetch(url, soon)).text()).toBe("at once");
  await Promise.all(open.map(({ body }) => body?.cancel()));
});

async function serve(answer: Parameters<typeof createServer>[1] & object) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, port, allowed: [`127.0.0.1:${port}`] };
}
