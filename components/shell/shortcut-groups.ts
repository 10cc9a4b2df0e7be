import { findKeys, forkKeys, pageKeys, questionKeys, quoteKeys, versionKeys } from "./keys";

/** What the sheet shows, group by group; a test says of each key where it is handled. */
export const shortcutGroups = [
  ["everywhere", pageKeys],
  [
    "chat",
    {
      composer: "Shift+Escape",
      send: "Enter",
      newLine: "Shift+Enter",
      stop: "Escape",
      askAfter: "Enter",
      steer: "Mod+Enter",
      stopAndAsk: "Shift+Mod+Enter",
      command: "/",
      mention: "@",
      resource: "#",
    },
  ],
  [
    "reading",
    {
      find: findKeys,
      nextHit: "Enter",
      previousHit: "Shift+Enter",
      previousQuestion: questionKeys.previous,
      nextQuestion: questionKeys.next,
      previousLine: "ArrowUp",
      nextLine: "ArrowDown",
      quote: quoteKeys,
      fork: forkKeys,
    },
  ],
  [
    "opened",
    {
      runPage: "Enter",
      previousVersion: versionKeys.previous,
      nextVersion: versionKeys.next,
      previousImage: "ArrowLeft",
      nextImage: "ArrowRight",
      close: "Escape",
    },
  ],
  [
    "palette",
    {
      onlyGroup: "Tab",
      onlyCommands: ">",
      openBeside: "Mod+Enter",
      clear: "Escape",
    },
  ],
  [
    "card",
    {
      once: "Mod+Enter",
      run: "R",
      always: "Shift+A",
      server: "Shift+S",
      reads: "Shift+R",
      deny: "D",
      json: "E",
      previousCard: "ArrowLeft",
      nextCard: "ArrowRight",
    },
  ],
  [
    "lists",
    {
      lineUp: "Alt+ArrowUp",
      lineDown: "Alt+ArrowDown",
      fold: "ArrowLeft",
      unfold: "ArrowRight",
      rowUp: "ArrowUp",
      rowDown: "ArrowDown",
      choose: "X",
      chooseTo: "Shift+X",
      endChoosing: "Escape",
      undo: "Mod+Z",
    },
  ],
  ["forms", { save: "Mod+S", saveAnswer: "Mod+Enter", call: "Mod+Enter" }],
] as const;
