import { expect, test } from "vitest";
import { ownPath } from "./sign-in-page";

test.each([
  ["/c/1?at=2", "/c/1?at=2"],
  [undefined, "/"],
  ["", "/"],
  ["https://evil.example/", "/"],
  ["//evil.example/", "/"],
  ["/\\evil.example/", "/"],
  ["/\t/evil.example/", "/"],
  ["/\n//evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["/..//evil.example", "/"],
  ["/.//evil.example", "/"],
  ["/api/session?token=x", "/"],
  ["/sign-in?next=%2F", "/"],
])("after signing in %j leads to %j", (next, path) => {
  expect(ownPath(next)).toBe(path);
});
