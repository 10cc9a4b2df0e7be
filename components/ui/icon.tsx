/** Drawn on a 16 px grid with one pen, so that every size keeps the same weight of line. */
const paths = {
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  archive: "M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 9h3",
  arrowLeft: "M13 8H3M7 4 3 8l4 4",
  arrowRight: "M3 8h10M9 4l4 4-4 4",
  arrowDown: "M8 3v10M4 9l4 4 4-4",
  arrowUp: "M8 13V3M4 7l4-4 4 4",
  attach: "m12.5 7.5-5 5a3 3 0 0 1-4.2-4.2l5.4-5.4a2 2 0 0 1 2.8 2.8L6.2 11a1 1 0 0 1-1.4-1.4l4.7-4.7",
  check: "m3.5 8.5 3 3 6-7",
  chevronDown: "m4 6 4 4 4-4",
  chevronLeft: "m10 4-4 4 4 4",
  chevronRight: "m6 4 4 4-4 4",
  columns: "M2.5 3h3v10h-3zM6.5 3h3v10h-3zM10.5 3h3v10h-3z",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  cross: "m4.5 4.5 7 7M11.5 4.5l-7 7",
  document: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  download: "M8 2.5V10M5 7l3 3 3-3M3 13.5h10",
  expand: "M9.5 2.5h4v4M13.5 2.5l-5 5M6.5 13.5h-4v-4M2.5 13.5l5-5",
  fork: "M4 3v10M4 9c5 0 8-1 8-5.5M10 5l2-2 2 2",
  globe: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2",
  grip: "M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01",
  into: "M3 4h5.5a3 3 0 0 1 3 3v5.5M8.5 9.5l3 3 3-3",
  keyboard: "M2 4.5h12v7H2zM4.5 7h.01M7 7h.01M9.5 7h.01M12 7h.01M5.5 9.5h5",
  lines: "M3 4.5h10M3 8h10M3 11.5h6",
  lock: "M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2",
  newChat:
    "M13.5 8.5v3.5a1.5 1.5 0 0 1-1.5 1.5H4A1.5 1.5 0 0 1 2.5 12V4A1.5 1.5 0 0 1 4 2.5h3.5M12 1.5v5M9.5 4h5",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  pencil: "M3 13h2.5l7-7L10 3.5l-7 7zM8.5 5 11 7.5",
  step: "M4 3.5v9M7 4.2v7.6L12.6 8z",
  plan: "M3 4.5h1.2M6.5 4.5H13M3 8h1.2M6.5 8H13M3 11.5h1.2M6.5 11.5H13",
  person: "M8 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM3.5 13.5a4.5 4.5 0 0 1 9 0",
  pin: "M6 2.5h4l-.5 4L12 9H4l2.5-2.5zM8 9v4.5",
  plug: "M5 2.5v3M11 2.5v3M3.5 5.5h9V8a4.5 4.5 0 0 1-9 0zM8 12.5v2",
  plus: "M8 3v10M3 8h10",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zm3.5 8 3 3",
  settings:
    "M8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM8 2v2M8 12v2M2 8h2M12 8h2M3.8 3.8l1.4 1.4M10.8 10.8l1.4 1.4M12.2 3.8l-1.4 1.4M5.2 10.8l-1.4 1.4",
  share: "M8 10V2.5M5 5l3-3 3 3M3 9v4.5h10V9",
  sidebar: "M2.5 3.5h11v9h-11zM6.5 3.5v9",
  source: "m4 5 3 3-3 3M8.5 11.5h4",
  stop: "M4 4h8v8H4z",
  temporary: "M4 2.5h8M4 13.5h8M5 2.5V5l3 3 3-3V2.5M5 13.5V11l3-3 3 3v2.5",
  timeline: "M2 4h6M5 8h8M4 12h4",
  trash: "M2.5 4.5h11M6.5 4.5v-2h3v2M4 4.5l.5 9h7l.5-9",
  wire: "M3 5.5h9M9.5 3 12 5.5 9.5 8M13 10.5H4M6.5 8 4 10.5 6.5 13",
} as const;

export type IconName = keyof typeof paths;

/** A picture that only repeats the words beside it or the name of its button: readers never hear it. */
export function Icon({ name, size = 16, className }: { name: IconName; size?: number; className?: string }) {
  const heavy = name === "more" || name === "cross" || name === "grip";
  return (
    <svg
      className={className}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={heavy ? 2 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      style={{ flex: "none" }}
    >
      <path d={paths[name]} />
    </svg>
  );
}
