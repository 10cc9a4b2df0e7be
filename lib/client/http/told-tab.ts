import { type Hint, hints } from "@/lib/protocol/hints";
import { isTold, passOn } from "./told";

/** What tabs say on the channel: `ask` whether there is a line, `beat` that it is alive. */
type Said = Hint | "ask" | "beat" | "open" | "lost";

/** Without a word for so long, ms, nobody reads the line any more; the server sends a heartbeat within 15 s. */
const silenceMs = 45_000;
/** The tab that reads says so often that the line is alive, ms. */
const beatMs = 5_000;

/** What this tab knows of the line that one of the browser's tabs reads. */
export class ToldTab {
  private readonly channel = new BroadcastChannel("meguri.line");
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isReader = false;
  private wasTold = false;
  private beatAt = 0;

  constructor(signal: AbortSignal) {
    this.channel.onmessage = ({ data }) => this.hear(data as Said);
    this.channel.postMessage("ask" satisfies Said);
    signal.addEventListener("abort", () => {
      this.channel.close();
      this.lose();
    });
  }

  /** This tab reads from now on. Who has read before may have left without a word. */
  begin(): void {
    this.isReader = true;
    if (isTold()) this.say("lost");
  }

  say(said: Said): void {
    this.channel.postMessage(said);
    this.hear(said);
  }

  beat(): void {
    if (performance.now() - this.beatAt < beatMs) return;
    this.beatAt = performance.now();
    this.say("beat");
  }

  private hear(said: Said): void {
    switch (said) {
      case "ask":
        if (this.isReader && isTold()) this.channel.postMessage("beat" satisfies Said);
        return;
      case "lost":
        this.lose();
        return;
      case "open":
        this.open();
        return;
      case "beat":
        this.keep();
        return;
      case "conversations":
      case "servers":
      case "settings":
        this.keep();
        passOn(said);
    }
  }

  private keep(): void {
    if (isTold()) this.waitForMore();
    else this.open();
  }

  private waitForMore(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lose(), silenceMs);
  }

  private open(): void {
    passOn("open");
    this.waitForMore();
    // What was shown before may be old by now: the list, and after a gap all else.
    for (const hint of this.wasTold ? hints : (["conversations"] as const)) passOn(hint);
    this.wasTold = true;
  }

  private lose(): void {
    clearTimeout(this.timer);
    if (isTold()) passOn("lost");
  }
}
