import { unstable_doesMiddlewareMatch as doesMatch } from "next/experimental/testing/server";
import { expect, test } from "vitest";
import { config } from "@/proxy";

test.each([
  ...["/", "/c/1", "/settings/about/readme", "/share/abc", "/icons", "/icons/x", "/icons/192.png/x"],
  ...[
    "/icon.svgx",
    "/favicon.ico/c/1",
    "/manifest.webmanifest2",
    "/share.pngx",
    "/sw.jsx",
    "/sw.js/x",
    "/apiary",
    "/_next/imagex",
  ],
])("%s is behind the gate", (url) => {
  expect(doesMatch({ config, url })).toBe(true);
});

test.each([
  ...["/icon.svg", "/icon.svg?icon.0a1b.svg", "/favicon.ico", "/apple-icon.png", "/icons/512-maskable.png"],
  ...[
    "/manifest.webmanifest",
    "/sw.js",
    "/share.png",
    "/_next/static/chunks/a.js",
    "/_next/image",
    "/api/health",
  ],
])("%s is for anybody", (url) => {
  expect(doesMatch({ config, url })).toBe(false);
});
