import { expect, test } from "vitest";
import { reachOf } from "./address";

test.each([
  ["8.8.8.8", "public"],
  ["2606:4700::1111", "public"],
  ["::ffff:8.8.8.8", "public"],
  ["127.0.0.1", "private"],
  ["::1", "private"],
  ["10.1.2.3", "private"],
  ["172.16.0.1", "private"],
  ["192.168.1.1", "private"],
  ["::ffff:192.168.1.1", "private"],
  ["100.64.0.1", "private"],
  ["fd12:3456::1", "private"],
  ["169.254.169.254", "never"],
  ["fe80::1", "never"],
  ["0.0.0.0", "never"],
  ["224.0.0.1", "never"],
  ["255.255.255.255", "never"],
  ["198.18.0.1", "never"],
  ["64:ff9b::7f00:1", "never"],
  ["4000::1", "never"],
  ["no address", "never"],
] as const)("%s is %s", (address, reach) => {
  expect(reachOf(address)).toBe(reach);
});
