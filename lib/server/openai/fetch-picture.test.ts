import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect as dial } from "node:net";
import type { buildConnector } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { fetchPicture, type PictureReach } from "./fetch-picture";

const names: Record<string, string[]> = {
  "pictures.example": ["93.184.216.34"],
  "inside.example": ["93.184.216.34", "10.0.0.5"],
};

/** What leads to the internet ends at this listener, and is written down. */
async function openReach(listener: RequestListener, more: Partial<PictureReach> = {}) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const dialled: string[] = [];
  const connect: buildConnector.connector = ({ protocol, hostname, port }, callback) => {
    dialled.push(`${protocol}//${hostname}:${port}`);
    const socket = dial((server.address() as AddressInfo).port, "127.0.0.1");
    socket.once("connect", () => callback(null, socket)).once("error", (cause) => callback(cause, null));
  };
  const reach: PictureReach = {
    ...{ allowed: [], connect, lookup: async (host) => names[host] ?? [] },
    ...{ signal: AbortSignal.timeout(30_000), maxBytes: 100, ...more },
  };
  return { dialled, reach };
}

const read = (address: string, reach: PictureReach) =>
  fetchPicture(address, reach, async ({ name, pieces }) => {
    const all: Uint8Array[] = [];
    for await (const piece of pieces) all.push(piece);
    return `${name}: ${Buffer.concat(all)}`;
  });

test("a public address is dialled at what its name was found to be, and says for whom", async () => {
  const hosts: (string | undefined)[] = [];
  const { dialled, reach } = await openReach(({ headers }, response) => {
    hosts.push(headers.host);
    response.end("dots");
  });
  expect(await read("https://pictures.example/of%20tea/two%20cups.png?a=1", reach)).toBe(
    "two cups.png: dots",
  );
  expect(dialled).toEqual(["https://93.184.216.34:443"]);
  expect(hosts).toEqual(["pictures.example"]);
});

test("a name with one private address is not dialled, neither at once nor after a redirect", async () => {
  const { dialled, reach } = await openReach((_request, response) => {
    response.writeHead(307, { location: "https://inside.example/a.png" }).end();
  });
  const refusal = "must be an address of the internet, and so must be where it redirects.";
  await expect(read("https://inside.example/a.png", reach)).rejects.toThrow(refusal);
  expect(dialled).toEqual([]);
  await expect(read("https://pictures.example/a.png", reach)).rejects.toThrow(refusal);
  expect(dialled).toEqual(["https://93.184.216.34:443"]);
});

test("a picture may have as many bytes as are left, and not one more", async () => {
  const { reach } = await openReach(
    ({ url }, response) => void response.end("x".repeat(Number(url?.slice(1)))),
  );
  expect(await read("https://pictures.example/100", reach)).toHaveLength(105);
  await expect(read("https://pictures.example/101", reach)).rejects.toMatchObject({
    ...{ status: 413, code: "image_too_large" },
  });
});

test.each([
  ["nothing", () => {}],
  ["half of it", (response: Parameters<RequestListener>[1]) => void response.write("dot")],
] as const)("an address that answers with %s is waited for until the deadline", async (_what, answer) => {
  const deadline = new AbortController();
  const { reach } = await openReach(
    (_request, response) => {
      answer(response);
      setTimeout(() => deadline.abort(), 20);
    },
    { signal: deadline.signal },
  );
  await expect(read("https://pictures.example/a.png", reach)).rejects.toThrow("takes too long to answer");
});
