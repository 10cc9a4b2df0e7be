"use client";

import { useTranslations } from "use-intl";
import { useSentence } from "@/components/ui/sentences";
import { useGap } from "@/components/ui/use-gap";
import { onlyText } from "@/lib/client/run/read-json";
import type { ToolView } from "@/lib/client/run/run-view";
import { cancelledNote, leftOpenNote } from "@/lib/protocol/call-notes";

/** Why a call brought nothing, in words, right under its line: an error never hides behind a chevron. */
export function ToolWhy({ item, wentOn }: { item: ToolView; wentOn: boolean }) {
  const t = useTranslations("chat.tool");
  const inWords = useSentence();
  const gap = useGap();
  const { state, result } = item;
  if (!result || (state !== "failed" && state !== "denied" && state !== "unknown")) return null;
  const told = wentOn ? `${gap}${t("told")}` : "";
  const line = firstLine(onlyText(result.content));
  if (state === "denied") {
    if (wasLeftOpen(item))
      return (
        <div className="why">
          <b>{t("notRun")}</b>
          {gap}
          {t("leftOpen")}
        </div>
      );
    const text = clip(line);
    const isReason = text !== "" && !/^(The user declined|Not run:)/.test(text);
    return (
      <div className="why">
        <b>{isReason ? t("deniedByYou") : t("denied")}</b>
        {gap}
        {isReason && t("reasonGiven", { reason: text.replace(/[.。]$/, "") })}
        {told}
      </div>
    );
  }
  if (state === "unknown") {
    const isCancelled = wasCancelled(item);
    const known = isOurs.test(line) ? `${inWords(line)}${gap}${t("mayHaveRun")}` : t("outcomeUnknownText");
    return (
      <div className="why">
        <b>{t(!isCancelled ? "outcomeUnknown" : wentOn ? "cancelledByYou" : "cancelled")}</b>
        {gap}
        {isCancelled ? t("cancelledText") : known}
      </div>
    );
  }
  // A server's own words stay as they came, also where they happen to be like ours.
  const said = clip(isOurs.test(line) ? inWords(line) : line);
  const notRun = /^(Not run:|未実行：)\s*/.exec(said);
  return (
    <div className="why">
      <b>{notRun ? t("notRun") : t("failedWith")}</b>
      {gap}
      {sentence(said.slice(notRun?.[0].length ?? 0)) || t("noReason")}
      {told}
    </div>
  );
}

/** Nobody answered: the run was stopped, or the next question asked. */
export const wasLeftOpen = ({ state, result }: ToolView): boolean =>
  state === "denied" && onlyText(result?.content ?? []) === leftOpenNote;

/** Given up on its way. Where the model went on, a person has cancelled this call; else the whole run was ended. */
export const wasCancelled = ({ state, result }: ToolView): boolean =>
  state === "unknown" && onlyText(result?.content ?? []) === cancelledNote;

const maxChars = 300;

function firstLine(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.replace(/^(MCP )?error:?\s+/i, "");
}

const isOurs =
  /^(Not run\b|There is no tool )| (did not answer within|was still at work after|broke while the call was on|ended (with exit code|by) [^ ]+ while the call was on) /;

const clip = (text: string) => (text.length > maxChars ? `${text.slice(0, maxChars)}…` : text);

function sentence(text: string): string {
  return text === "" || /[.!?…。！？]$/.test(text) ? text : `${text}.`;
}
