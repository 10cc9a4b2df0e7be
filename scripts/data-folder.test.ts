import { expect, test } from "vitest";
import { usualFolder } from "./cli/data-folder.mjs";
import { mayOpen } from "./cli/open-browser.mjs";

test.each([
  ["linux", {}, "/home/aiko/.local/share/meguri"],
  ["linux", { XDG_DATA_HOME: "/data" }, "/data/meguri"],
  ["linux", { XDG_DATA_HOME: "data" }, "/home/aiko/.local/share/meguri"],
  ["darwin", { XDG_DATA_HOME: "/data" }, "/home/aiko/Library/Application Support/Meguri"],
  ["win32", { LOCALAPPDATA: "/local" }, "/local/Meguri"],
  ["win32", {}, "/home/aiko/AppData/Local/Meguri"],
])("on %s with %o data are in %s", (platform, env, folder) => {
  expect(usualFolder(platform, env, "/home/aiko")).toBe(folder);
});

test.each([
  ["linux", { DISPLAY: ":0" }, true, true],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, true, true],
  ["linux", {}, true, false],
  ["linux", { DISPLAY: ":0", CI: "true" }, true, false],
  ["linux", { DISPLAY: ":10", SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }, true, false],
  ["darwin", {}, true, true],
  ["darwin", {}, false, false],
  ["win32", { CI: "1" }, true, false],
])("on %s with %o, in a terminal: %s, a browser is opened: %s", (platform, env, isTerminal, opens) => {
  expect(mayOpen(platform, env, isTerminal)).toBe(opens);
});
