/** A diagram as an image that can run nothing and load nothing, or why there is none. */
export type DrawnDiagram = Drawing | { why: DiagramFault; detail?: string };
export interface Drawing {
  /** A `data:` address. */
  src: string;
  width: number;
  height: number;
  title: string;
}
export type DiagramFault = "noFrame" | "notLoaded" | "tooLong" | "tooMany" | "invalid";

export interface DiagramLook {
  dark: boolean;
  variables: Record<string, string>;
}

interface Job {
  id: number;
  text: string;
  look: DiagramLook;
  settle(drawn: DrawnDiagram): void;
}

/** What Mermaid gets for one diagram; then its frame is taken away, and the next one gets another. */
const drawMs = 5_000;
/** For the frame and for what is fetched into it. */
const loadMs = 15_000;
const maxWaiting = 50;
const maxKept = 30;
const maxDetail = 200;

let lastId = 0;
let frame: DiagramFrame | undefined;
const waiting: Job[] = [];
const kept = new Map<string, DrawnDiagram>();

/** Draws Mermaid in a frame without an origin, off this page; one frame for all diagrams, one diagram at a time. */
export function drawDiagram(text: string, look: DiagramLook): Promise<DrawnDiagram> {
  const key = JSON.stringify([text, look]);
  const known = kept.get(key);
  if (known) return Promise.resolve(known);
  const address = document.documentElement.dataset.programs;
  if (!address) return Promise.resolve({ why: "noFrame" });
  if (waiting.length >= maxWaiting) return Promise.resolve({ why: "tooMany" });
  return new Promise((resolve) => {
    const settle = (drawn: DrawnDiagram) => {
      // What failed on the way may do better the next time.
      if (!("why" in drawn) || drawn.why === "invalid") keep(key, drawn);
      resolve(drawn);
    };
    waiting.push({ id: ++lastId, text, look, settle });
    frame ??= new DiagramFrame(address);
    frame.next();
  });
}

function keep(key: string, drawn: DrawnDiagram): void {
  kept.set(key, drawn);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
}

class DiagramFrame {
  private readonly element = document.createElement("iframe");
  private isReady = false;
  private job: Job | undefined;
  private timer: number;

  constructor(private readonly address: string) {
    const { element } = this;
    element.sandbox.add("allow-scripts");
    element.title = "Mermaid";
    element.ariaHidden = "true";
    element.tabIndex = -1;
    // Laid out, so that words can be measured, and within the window, as browsers hold back what is outside; never seen.
    element.style.cssText =
      "position:fixed;inset:0;width:100vw;height:100vh;border:0;opacity:0;pointer-events:none;z-index:-1";
    element.src = `${address}/diagrams`;
    window.addEventListener("message", this.listen);
    this.timer = window.setTimeout(() => this.fail("notLoaded"), loadMs);
    document.body.append(element);
  }

  next(): void {
    if (!this.isReady || this.job) return;
    this.job = waiting.shift();
    if (!this.job) return;
    const { id, text, look } = this.job;
    this.timer = window.setTimeout(() => this.fail("tooLong"), drawMs);
    // A frame without an origin can be addressed in no other way.
    this.element.contentWindow?.postMessage({ meguri: "draw", id, text, ...look }, "*");
  }

  private readonly listen = ({ source, data }: MessageEvent): void => {
    if (source !== this.element.contentWindow || data?.meguri !== "diagram") return;
    if (data.ready) this.isReady = true;
    else if (data.id !== this.job?.id) return;
    window.clearTimeout(this.timer);
    const { job } = this;
    this.job = undefined;
    job?.settle(readDrawing(data));
    this.next();
  };

  /** Whatever it does now, nobody listens, and it is gone. All that wait for a page that cannot be had are told. */
  private fail(why: "notLoaded" | "tooLong"): void {
    window.removeEventListener("message", this.listen);
    this.element.remove();
    frame = undefined;
    this.job?.settle({ why });
    if (why === "notLoaded") for (const { settle } of waiting.splice(0)) settle({ why });
    if (waiting.length > 0) frame = new DiagramFrame(this.address);
  }
}

function readDrawing(data: Record<string, unknown>): DrawnDiagram {
  const { drawing, width, height, title, why } = data;
  if (typeof drawing !== "string" || typeof width !== "number" || typeof height !== "number")
    return { why: "invalid", detail: lineOf(String(why ?? "")) };
  return {
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`,
    ...{ width, height, title: String(title ?? "") },
  };
}

/** Mermaid draws an arrow below what it could not read, over several lines. */
const lineOf = (why: string): string =>
  why
    .split("\n")
    .filter((line) => /\p{L}/u.test(line))
    .slice(0, 1)
    .join("")
    .slice(0, maxDetail);
