import { useTranslations } from "use-intl";
import { Section } from "@/components/settings/section";
import { useSize } from "@/components/ui/words/use-size";
import { type DataUsage, type UsageKind, usageKinds } from "@/lib/protocol/data";

/** A bar of the whole, and what each part of it is. */
export function UsageSection({ usage }: { usage: DataUsage }) {
  const t = useTranslations("settings.data");
  const size = useSize();
  const { kinds, total, free, disk } = usage;
  const shown = usageKinds
    .filter((kind) => kinds[kind] > 0)
    .toSorted((a, b) => Number(a === "unused") - Number(b === "unused") || kinds[b] - kinds[a]);
  return (
    <Section
      title={t("space")}
      note={
        free === undefined
          ? t("spaceUsed", { total: size(total) })
          : t("spaceNote", { total: size(total), free: size(free) })
      }
    >
      {disk === "low" && (
        <p role="alert" className="mb-4 bg-shu-wash px-3 py-2 shadow-[inset_0_2px_var(--shu)]">
          {free === undefined ? t("folderLow") : t("diskLow", { free: size(free) })}
        </p>
      )}
      <div aria-hidden="true" className="mt-2 mb-3 flex h-2 gap-0.5">
        {shown.map((kind, at) => (
          <span key={kind} className={`min-w-0.5 ${tone(kind, at)}`} style={{ flex: `${kinds[kind]} 0 0` }} />
        ))}
      </div>
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(132px,1fr))] gap-x-4 gap-y-2">
        {shown.map((kind, at) => (
          <div key={kind}>
            <dt className="flex items-center gap-1.5 text-micro text-ink-3">
              <span aria-hidden="true" className={`size-2 flex-none ${tone(kind, at)}`} />
              {t(`kinds.${kind}`)}
            </dt>
            <dd className="tabular-nums">{size(kinds[kind])}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** The largest is the darkest; what is not used is only drawn round. With forced colours they are told apart by the gaps. */
function tone(kind: UsageKind, at: number): string {
  if (kind === "unused") return "box-border border border-rule-2 forced-colors:border-[CanvasText]";
  return `forced-colors:bg-[CanvasText] ${shades[at] ?? "bg-ink/20"}`;
}

const shades = ["bg-ink", "bg-ink/70", "bg-ink/50", "bg-ink/35", "bg-ink/25"];
