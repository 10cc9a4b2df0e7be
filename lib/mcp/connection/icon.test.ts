import type { buildConnector } from "undici";
import { afterEach, expect, test } from "vitest";
import { fixture, openPool } from "@/lib/mcp/testing/test-pool";
import { hasIcon, readIcon } from "./icon";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

test("a server's title and picture: the first that is one, and nothing that could run", async () => {
  const { pool, ready, close } = await openPool({ dot: fixture("icon"), plain: fixture("plain") });
  closing.push(close);
  expect(await ready("dot")).toMatchObject({ title: "The Little Dot", hasIcon: true });
  const icon = await pool.icon("dot");
  expect(icon?.mediaType).toBe("image/png");
  expect(icon?.bytes.byteLength).toBeGreaterThan(60);
  expect(await ready("plain")).toMatchObject({ title: null, hasIcon: false });
  expect(await pool.icon("plain")).toBeUndefined();
});

test.each([
  ["an address without TLS", [{ src: "http://public.example/icon.png" }]],
  ["a file", [{ src: "file:///etc/passwd" }]],
  ["a script", [{ src: "javascript:alert(1)" }]],
  ["no list", "icon.png"],
  ["SVG", [{ src: `data:image/svg+xml;base64,${btoa("<svg xmlns='http://www.w3.org/2000/svg'/>")}` }]],
  ["HTML that calls itself a picture", [{ src: `data:image/png;base64,${btoa("<html></html>")}` }]],
])("%s is no icon", async (_, icons) => {
  expect(await readIcon(icons)).toBeUndefined();
});

test("one on the web is fetched from public addresses only", async () => {
  const dialled: string[] = [];
  const connect: buildConnector.connector = ({ hostname, port }, callback) => {
    dialled.push(`${hostname}:${port}`);
    callback(new Error("Recorded, not dialled."), null);
  };
  const names: Record<string, string[]> = {
    "inside.example": ["10.0.0.5"],
    "public.example": ["93.184.216.34"],
  };
  const lookup = async (host: string) => names[host] ?? [];
  const icons = ["https://inside.example/a.png", "https://127.0.0.1/b.png", "https://public.example/c.png"];
  expect(hasIcon(icons.map((src) => ({ src })))).toBe(true);
  expect(
    await readIcon(
      icons.map((src) => ({ src })),
      { connect, lookup },
    ),
  ).toBeUndefined();
  expect(dialled).toEqual(["93.184.216.34:443"]);
});
