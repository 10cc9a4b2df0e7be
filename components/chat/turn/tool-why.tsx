"use client";

import { useTranslations } from "use-intl";
import { withBlocks } from "@/components/ui/redacted";
import { useSentence } from "@/components/ui/words/sentences";
import { useGap } from "@/components/ui/words/use-gap";
import { onlyText } from "@/lib/client/run/read-json";
import type { ToolView } from "@/lib/client/run/run-view";
import { failedUnsent } from "@/lib/client/run/tool-steps";
import { beginningOf } from "@/lib/protocol/redacted-text";
import { useWithheld } from "./withheld";

/** Why a call brought nothing, in words, right under its line: an error never hides behind a chevron. */
export function ToolWhy({ item, wentOn }: { item: ToolView; wentOn: boolean }) {
  const t = useTranslations("chat.tool");
  const inWords = useSentence();
  const gap = useGap();
  const told = useTold(wentOn);
  const { state, result } = item;
  // Its words are not here.
  const isHidden = useWithheld(item.id)?.shown === "hidden";
  if (isHidden || !result || (state !== "failed" && state !== "denied" && state !== "unknown")) return null;
  const line = firstLine(onlyText(result.content));
  if (state === "denied") {
    if (wasLeftOpen(item))
      return (
        <div className={whyLook}>
          <b className="font-semibold text-shu">{t("notRun")}</b>
          {gap}
          {t("leftOpen")}
        </div>
      );
    const text = clip(line);
    // What forbade it was a rule, and nobody's words.
    if (result.reason === "not_run") return <NotRun text={inWords(text)} told={told} />;
    const isReason = text !== "" && result.reason !== "declined";
    const reason = isReason ? t("reasonGiven", { reason: text.replace(/[.。]$/, "") }) : "";
    return (
      <div className={whyLook}>
        <b className="font-semibold text-shu">{isReason ? t("deniedByYou") : t("denied")}</b>
        {gap}
        {withBlocks(reason)}
        {told(reason)}
      </div>
    );
  }
  if (state === "unknown") {
    const isCancelled = wasCancelled(item);
    const known =
      result.reason === "unfinished" ? `${inWords(line)}${gap}${t("mayHaveRun")}` : t("outcomeUnknownText");
    return (
      <div className={whyLook}>
        <b className="font-semibold text-shu">
          {t(!isCancelled ? "outcomeUnknown" : wentOn ? "cancelledByYou" : "cancelled")}
        </b>
        {gap}
        {isCancelled ? t("cancelledText") : known}
      </div>
    );
  }
  // A server's own words stay as they came, also where they happen to be like ours.
  const said = clip(result.reason ? inWords(line) : line);
  if (failedUnsent(item)) return <NotRun text={said} told={told} />;
  const why = sentence(said) || t("noReason");
  return (
    <div className={whyLook}>
      <b className="font-semibold text-shu">{t("failedWith")}</b>
      {gap}
      {withBlocks(why)}
      {told(why)}
    </div>
  );
}

/** A sentence of ours; most of them begin with the words that are the heading here. */
function NotRun({ text, told }: { text: string; told(before: string): string }) {
  const t = useTranslations("chat.tool");
  const gap = useGap();
  const why = sentence(text.replace(/^(Not run:|未実行：)\s*/, ""));
  return (
    <div className={whyLook}>
      <b className="font-semibold text-shu">{t("notRun")}</b>
      {gap}
      {withBlocks(why)}
      {told(why)}
    </div>
  );
}

/** That the model knows of it, after what is said before: the full stop of a server's words is followed by a space. */
function useTold(wentOn: boolean): (before: string) => string {
  const t = useTranslations("chat.tool");
  const gap = useGap();
  return (before) => (wentOn ? `${gap || (/[!-~]$/.test(before) ? " " : "")}${t("told")}` : "");
}

/** Nobody answered: the run was stopped, or the next question asked. */
export const wasLeftOpen = ({ state, result }: ToolView): boolean =>
  state === "denied" && result?.reason === "left_open";

/** Given up on its way. Where the model went on, a person has cancelled this call; else the whole run was ended. */
export const wasCancelled = ({ state, result }: ToolView): boolean =>
  state === "unknown" && result?.reason === "cancelled";

/** Its line says all that came back: nothing is left to be opened. */
export function saidInLine({ state, result }: ToolView): boolean {
  if (!result || (state !== "failed" && state !== "denied" && state !== "unknown")) return false;
  const text = onlyText(result.content).trim();
  return (
    result.structured === undefined &&
    result.content.every(({ type }) => type === "text") &&
    text.length <= maxChars &&
    !text.includes("\n")
  );
}

const whyLook = "pr-18 pb-1 text-mach text-pretty text-ink wrap-anywhere phone:pr-0";

const maxChars = 300;

function firstLine(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.replace(/^(MCP )?error:?\s+/i, "");
}

const clip = (text: string) => (text.length > maxChars ? `${beginningOf(text, maxChars)}…` : text);

function sentence(text: string): string {
  return text === "" || /[.!?…。！？]$/.test(text) ? text : `${text}.`;
}
