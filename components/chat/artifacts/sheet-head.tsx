import { useId } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { versionKeys } from "@/components/shell/keys";
import { IconButton } from "@/components/ui/controls/button";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { saveText } from "@/components/ui/save-text";
import type { Artifact, ArtifactVersion } from "@/lib/client/run/artifacts";
import { artifactFile } from "@/lib/client/text/artifact-file";

export interface SheetHeadProps {
  artifact: Artifact;
  name: string;
  code: string;
  isWhole: boolean;
  onWhole(): void;
  onClose(): void;
}

/** The name of the open artifact, and what can be done with it. */
export function SheetHead({ artifact, name, code, isWhole, onWhole, onClose }: SheetHeadProps) {
  const t = useTranslations("chat.artifact");
  const common = useTranslations("common");
  const save = (file: { name: string; type: string }) => saveText(file.name, `${code}\n`, file.type);
  return (
    <header className="flex h-12 flex-none items-center gap-1 pr-2 pl-4 rule-b phone:pr-0">
      <h2 className="min-w-0 flex-1 truncate text-text font-semibold">{name}</h2>
      <CopyButton label={t("copy")} text={() => code} />
      <IconButton
        icon="download"
        label={t("download")}
        tipSide="right-edge"
        onClick={() => save(artifactFile(artifact))}
      />
      <IconButton
        icon="expand"
        label={t(isWhole ? "beside" : "whole")}
        aria-pressed={isWhole}
        tipSide="right-edge"
        className="max-[900px]:hidden"
        onClick={onWhole}
      />
      <IconButton icon="cross" label={common("close")} keys="Escape" tipSide="right-edge" onClick={onClose} />
    </header>
  );
}

export interface VersionsProps {
  versions: readonly ArtifactVersion[];
  number: number;
  onStep(by: -1 | 1): void;
}

/** Characters of what a person had said. */
const maxAfter = 40;

/** "3 of 3", when, and after which words. */
export function Versions({ versions, number, onStep }: VersionsProps) {
  const t = useTranslations("chat.artifact");
  const format = useFormatter();
  const id = useId();
  const version = versions[number];
  const said = version?.after.replace(/\s+/g, " ").trim() ?? "";
  const characters = [...said.slice(0, 2 * maxAfter)];
  const words =
    characters.length > maxAfter ? `${characters.slice(0, maxAfter).join("")}…` : characters.join("");
  const time = version?.at != null ? format.dateTime(version.at, whenOf(version.at)) : "";
  return (
    <>
      {versions.length > 1 && (
        <span className="flex flex-none items-center text-micro text-ink-2">
          <IconButton
            icon="chevronLeft"
            iconSize={14}
            label={t("before")}
            keys={versionKeys.previous}
            aria-describedby={id}
            disabled={number === 0}
            onClick={() => onStep(-1)}
          />
          <span id={id} aria-live="polite">
            {t("position", { number: number + 1, count: versions.length })}
          </span>
          <IconButton
            icon="chevronRight"
            iconSize={14}
            label={t("after")}
            keys={versionKeys.next}
            tipSide="right-edge"
            aria-describedby={id}
            disabled={number === versions.length - 1}
            onClick={() => onStep(1)}
          />
        </span>
      )}
      <span className="min-w-0 truncate text-micro text-ink-3">
        {words === "" ? time : t("when", { time, words })}
      </span>
    </>
  );
}

/** Of today the time alone. */
function whenOf(at: number) {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return isToday
    ? ({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const)
    : ({ month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const);
}
