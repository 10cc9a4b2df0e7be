"use client";

import { Button } from "@/components/ui/controls/button";
import type { Decision } from "@/lib/protocol/answer";
import { answers, type OfferedAnswer, questions } from "@/lib/protocol/questions";

/** On the paper of the page, like the field that may stand before it. */
export const denyLook = "bg-paper hover:enabled:bg-paper-3";

/** As high as its words need. */
const longLook =
  "h-auto min-h-8 whitespace-normal wrap-anywhere phone:col-span-full phone:h-auto phone:min-h-11";

/** Questions that are answered by one press. */
export type ChoiceKind = Exclude<keyof typeof questions, "form" | "url">;

/** As `aria-keyshortcuts` names them; what may do something twice has none. */
export const answerKeys: Readonly<Record<Decision, string | undefined>> = {
  approve: "Mod+Enter",
  approve_run: "R",
  approve_always: "Shift+A",
  approve_server: "Shift+S",
  approve_reads: "Shift+R",
  deny: "D",
  retry: undefined,
  done: undefined,
  skip: undefined,
  more: "Mod+Enter",
  finish: "F",
  stop: "D",
  step: "Mod+Enter",
  run_on: "R",
};

/** The end of a run in step mode is the Stop of any run. */
const keysOf = (kind: ChoiceKind, name: Decision): string | undefined =>
  kind === "step" && name === "stop" ? "Escape" : answerKeys[name];

const keysProp = (keys: string | undefined) => (keys === undefined ? {} : { keys });

export interface AnswerButtonsProps<Kind extends ChoiceKind> {
  kind: Kind;
  labels: Readonly<Record<OfferedAnswer<Kind>, string>>;
  busy: boolean;
  /** The call cannot be sent as it is. */
  blocked?: boolean;
  /** Their labels name servers, and may be long. */
  long?: readonly OfferedAnswer<Kind>[];
  /** Left out here, as they are shown elsewhere on the card. */
  without?: readonly OfferedAnswer<Kind>[];
  onAnswer(decision: OfferedAnswer<Kind>): Promise<void>;
}

/** A button for each answer that the question offers; the first is the one to press. */
export function AnswerButtons<Kind extends ChoiceKind>(props: AnswerButtonsProps<Kind>) {
  const { kind, labels, long, busy, blocked = false, without = [], onAnswer } = props;
  const offers: readonly OfferedAnswer<Kind>[] = questions[kind].offers;
  return offers
    .filter((name) => !without.includes(name))
    .map((name, index) => (
      <Button
        key={name}
        tone={index === 0 ? "ink" : "outline"}
        {...keysProp(keysOf(kind, name))}
        className={name === "deny" ? denyLook : long?.includes(name) ? longLook : undefined}
        disabled={busy || (blocked && answers[name].effect === "run")}
        onClick={() => void onAnswer(name)}
      >
        {labels[name]}
      </Button>
    ));
}

/** The answer that a press of keys gives. Letters answer only outside a field; the command key also in one, and bare Enter never. */
export function pressedAnswer(event: React.KeyboardEvent, kind: ChoiceKind): Decision | undefined {
  if (event.nativeEvent.isComposing) return undefined;
  const offers: readonly Decision[] = questions[kind].offers;
  return offers.find((name) => isPressed(event, keysOf(kind, name)));
}

/** Whether these keys were pressed, and were meant for the card. */
export function isPressed(event: React.KeyboardEvent, keys: string | undefined): boolean {
  const { key, metaKey, ctrlKey, altKey, shiftKey, target } = event;
  if (keys === undefined) return false;
  if (keys === "Mod+Enter") return key === "Enter" && (metaKey || ctrlKey);
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (isField || metaKey || ctrlKey || altKey) return false;
  const letter = keys.replace("Shift+", "").toLowerCase();
  if (keys === "Escape") return key === keys;
  return keys.startsWith("Shift+") ? shiftKey && key.toLowerCase() === letter : !shiftKey && key === letter;
}
