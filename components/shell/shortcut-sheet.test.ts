import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isKeys, pageKeys, quoteKeys } from "./keys";
import { shortcutGroups } from "./shortcut-groups";

type Groups = (typeof shortcutGroups)[number];

/** By row of the sheet: the file that handles its key, and the words there that do. */
const handled: { [Group in Groups as Group[0]]: Record<keyof Group[1], [file: string, words: string]> } = {
  everywhere: {
    palette: ["shell/shortcuts.tsx", "palette: openPalette"],
    newChat: ["shell/shortcuts.tsx", "newChat: () =>"],
    temporaryChat: ["shell/shortcuts.tsx", "temporaryChat: () =>"],
    sidebar: ["shell/shortcuts.tsx", "sidebar: toggleSide"],
    settings: ["shell/shortcuts.tsx", "settings: () =>"],
    sheet: ["shell/shortcuts.tsx", "sheet: openSheet"],
  },
  chat: {
    composer: ["chat/chat-screen.tsx", "event.shiftKey) composer.current?.focus()"],
    send: ["chat/composer/composer.tsx", "isSendKey(event)"],
    newLine: ["chat/parts/is-send-key.ts", "!event.shiftKey"],
    stop: ["chat/chat-screen.tsx", 'event.key !== "Escape"'],
    askAfter: ["chat/parts/is-send-key.ts", '"after"'],
    steer: ["chat/parts/is-send-key.ts", '"next_turn"'],
    stopAndAsk: ["chat/parts/is-send-key.ts", 'shiftKey ? "stop"'],
    goOnWith: ["chat/compare/columns.tsx", '["1", "2", "3"].includes(key)'],
    command: ["chat/composer/use-suggestions.ts", "/^\\/("],
    mention: ["chat/composer/use-suggestions.ts", "/^@("],
    resource: ["chat/composer/use-suggestions.ts", "#("],
  },
  reading: {
    find: ["chat/find/use-find.tsx", "isKeys(event, findKeys)"],
    nextHit: ["chat/find/find-bar.tsx", 'event.key === "Enter"'],
    previousHit: ["chat/find/find-bar.tsx", "event.shiftKey"],
    previousQuestion: ["chat/find/use-question-keys.ts", "questionKeys.previous"],
    nextQuestion: ["chat/find/use-question-keys.ts", "questionKeys.next"],
    previousLine: ["chat/turn/ledger-line.tsx", "ArrowUp: -1"],
    nextLine: ["chat/turn/ledger-line.tsx", "ArrowDown: 1"],
    quote: ["chat/quote-button.tsx", "isKeys(event, quoteKeys)"],
    fork: ["chat/turn/ledger-line.tsx", "isKeys(event.nativeEvent, forkKeys)"],
  },
  opened: {
    runPage: ["chat/artifacts/use-sheet-keys.ts", 'event.key !== "Enter"'],
    previousVersion: ["chat/artifacts/use-sheet-keys.ts", "versionKeys.previous"],
    nextVersion: ["chat/artifacts/use-sheet-keys.ts", "versionKeys.next"],
    previousImage: ["ui/layers/lightbox.tsx", "ArrowLeft: -1"],
    nextImage: ["ui/layers/lightbox.tsx", "ArrowRight: 1"],
    close: ["chat/artifacts/use-sheet-keys.ts", 'event.key === "Escape"'],
  },
  run: {
    stepUp: ["run/run-timeline.tsx", 'case "ArrowUp"'],
    stepDown: ["run/run-timeline.tsx", 'case "ArrowDown"'],
    firstStep: ["run/run-timeline.tsx", 'case "Home"'],
    lastStep: ["run/run-timeline.tsx", 'case "End"'],
    openStep: ["run/step-row.tsx", "onClick={() => onPick(step.key)}"],
    nextTurn: ["run/request/turn-request.tsx", "j: turns[at + 1]"],
    previousTurn: ["run/request/turn-request.tsx", "k: turns[at - 1]"],
    previousTab: ["run/request/turn-request.tsx", '"[": tabs[place - 1]'],
    nextTab: ["run/request/turn-request.tsx", '"]": tabs[place + 1]'],
    copyTab: ["run/request/turn-request.tsx", 'event.key !== "c"'],
    closeStep: ["run/run-timeline.tsx", 'event.key === "Escape"'],
  },
  palette: {
    onlyGroup: ["palette/palette.tsx", 'key === "Tab"'],
    onlyCommands: ["palette/use-palette-groups.ts", 'startsWith(">")'],
    openBeside: ["palette/palette.tsx", "event.metaKey || event.ctrlKey"],
    clear: ["palette/palette.tsx", 'key === "Escape"'],
  },
  card: {
    once: ["chat/cards/answer-buttons.tsx", '"Mod+Enter"'],
    run: ["chat/cards/answer-buttons.tsx", '"R"'],
    always: ["chat/cards/answer-buttons.tsx", '"Shift+A"'],
    server: ["chat/cards/answer-buttons.tsx", '"Shift+S"'],
    reads: ["chat/cards/answer-buttons.tsx", '"Shift+R"'],
    deny: ["chat/cards/answer-buttons.tsx", '"D"'],
    json: ["chat/cards/waiting-card.tsx", 'isPressed(event, "E")'],
    previousCard: ["chat/cards/card-frame.tsx", "ArrowLeft: -1"],
    nextCard: ["chat/cards/card-frame.tsx", "ArrowRight: 1"],
  },
  lists: {
    lineUp: ["chat/composer/queued-line.tsx", "ArrowUp: -1"],
    lineDown: ["chat/composer/queued-line.tsx", "ArrowDown: 1"],
    fold: ["shell/project-folder.tsx", '"ArrowLeft"'],
    unfold: ["shell/project-folder.tsx", '"ArrowRight"'],
    rowUp: ["shell/row-actions.ts", "ArrowUp: rows[at - 1]"],
    rowDown: ["shell/row-actions.ts", "ArrowDown: rows[at + 1]"],
    choose: ["shell/row-actions.ts", '"x"'],
    chooseTo: ["shell/row-actions.ts", "chooseRow(row, shift)"],
    endChoosing: ["shell/choosing-head.tsx", '"Escape"'],
    undo: ["shell/slip.tsx", "isKeys(event, undoKeys)"],
  },
  forms: {
    save: ["settings/draft-form.tsx", '"s"'],
    saveAnswer: ["chat/turn/edit-field.tsx", 'event.key === "Enter" && (event.metaKey || event.ctrlKey)'],
    call: ["settings/server/try-form.tsx", 'event.key === "Enter"'],
  },
};

test("each key of the sheet is handled where it says", () => {
  const root = join(import.meta.dirname, "..");
  const wrong = shortcutGroups.flatMap(([group, keys]) =>
    Object.keys(keys).filter((name) => {
      const places: Record<string, [string, string]> = handled[group];
      const [file, words] = places[name] ?? ["", ""];
      return file === "" || !readFileSync(join(root, file), "utf8").includes(words);
    }),
  );
  expect(wrong).toEqual([]);
});

const sources = (under: string): string[] =>
  readdirSync(under, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes(".test."))
    .map((name) => readFileSync(join(under, name), "utf8"));

test("each key that a button shows stands in the sheet", () => {
  const root = join(import.meta.dirname, "..");
  const shown = sources(root).flatMap((source) =>
    [...source.matchAll(/\bkeys(?:=|: )"([^"]+)"/g)].map(([, keys]) => keys),
  );
  const listed = new Set<string>(shortcutGroups.flatMap(([, keys]) => Object.values(keys)));
  expect(shown.filter((keys) => keys !== undefined && !listed.has(keys))).toEqual([]);
  expect(shown.length).toBeGreaterThan(10);
});

test("keys are read as they are written, in any writing", () => {
  const pressed = (key: string, rest: object = {}) =>
    ({
      key,
      code: "",
      altKey: false,
      ctrlKey: false,
      metaKey: false,
      shiftKey: false,
      ...rest,
    }) as KeyboardEvent;
  const is = (key: string, rest: object, keys: string) => isKeys(pressed(key, rest), keys);
  expect(is("k", { ctrlKey: true }, pageKeys.palette)).toBe(true);
  expect(is("л", { ctrlKey: true, code: "KeyK" }, pageKeys.palette)).toBe(true);
  expect(is("t", { ctrlKey: true, code: "KeyK" }, pageKeys.palette)).toBe(false);
  expect(is("k", { ctrlKey: true, shiftKey: true }, pageKeys.palette)).toBe(false);
  expect(is("k", { ctrlKey: true, altKey: true }, pageKeys.palette)).toBe(false);
  expect(is("k", {}, pageKeys.palette)).toBe(false);
  expect(is("O", { ctrlKey: true, shiftKey: true }, pageKeys.newChat)).toBe(true);
  expect(is("ArrowUp", { altKey: true }, "Alt+ArrowUp")).toBe(true);
  expect(is("ArrowUp", {}, "Alt+ArrowUp")).toBe(false);
  expect(is("œ", { altKey: true, code: "KeyQ" }, quoteKeys)).toBe(true);
  expect(is("a", { altKey: true, code: "KeyQ" }, quoteKeys)).toBe(false);
});
