import { expect, it } from "vitest";
import { explainCall } from "./explain-call";

it("says how the server's process ended, where that is why nobody knows what became of the call", () => {
  const closed = new Error("Connection closed");
  expect(explainCall(closed, "shop", { code: 3, signal: null })).toEqual({
    kind: "cut",
    message: "shop ended with exit code 3 while the call was on its way.",
  });
  expect(explainCall(closed, "shop", { code: null, signal: "SIGKILL" })).toEqual({
    kind: "cut",
    message: "shop ended by SIGKILL while the call was on its way.",
  });
});
