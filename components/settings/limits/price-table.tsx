"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { ModelId } from "@/components/settings/model-id";
import { Rows, RowsHead } from "@/components/settings/rows";
import { Section } from "@/components/settings/section";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { Button, IconButton } from "@/components/ui/controls/button";
import { notify } from "@/components/ui/toast";
import { useAccount } from "@/components/ui/words/account";
import { changePrices } from "@/lib/client/settings/settings";
import type { Price, PriceItem } from "@/lib/protocol/settings";

const PriceForm = dynamic(() => import("./price-form"));

/** What models cost; prices that were typed in stand first and take the place of those that are shipped. */
export function PriceTable({ prices, date }: { prices: readonly PriceItem[]; date: string }) {
  const t = useTranslations("settings.limits.prices");
  const format = useFormatter();
  const act = useAct();
  const canChange = useAccount()?.role !== "member";
  const [editing, setEditing] = useState<PriceItem | "new" | null>(null);
  const own = ownPrices(prices);
  const remove = async ({ model }: PriceItem) => {
    const { [model]: _, ...rest } = own;
    if (await act(() => changePrices(rest))) notify(t("removed", { model }));
  };
  return (
    <Section
      title={t("title")}
      note={t("lede", { date: format.dateTime(new Date(date), { dateStyle: "long", timeZone: "UTC" }) })}
      action={
        canChange && (
          <Button icon="plus" onClick={() => setEditing("new")}>
            {t("add")}
          </Button>
        )
      }
    >
      <Rows inSection aria-label={t("title")}>
        <RowsHead columns={columns}>
          <span>{t("model")}</span>
          <span className="text-right">{t("input")}</span>
          <span className="text-right">{t("cached")}</span>
          <span className="text-right">{t("output")}</span>
          <span />
        </RowsHead>
        {prices.map((price) => (
          <PriceRow
            key={price.model}
            price={price}
            {...(canChange && { onEdit: setEditing, onRemove: remove })}
          />
        ))}
      </Rows>
      {editing && (
        <PriceForm
          price={editing === "new" ? undefined : editing}
          own={own}
          onClose={() => setEditing(null)}
        />
      )}
    </Section>
  );
}

const columns = "grid-cols-[minmax(0,1fr)_64px_64px_64px_64px] slim:grid-cols-[minmax(0,1fr)_48px_48px_88px]";

interface PriceRowProps {
  price: PriceItem;
  /** Undefined: who looks may not change it. */
  onEdit?: (price: PriceItem) => void;
  onRemove?: (price: PriceItem) => void;
}

function PriceRow({ price, onEdit, onRemove }: PriceRowProps) {
  const t = useTranslations("settings.limits.prices");
  const format = useFormatter();
  const { model, input, cachedInput, output, source } = price;
  const show = (amount: number) => format.number(amount, { maximumFractionDigits: 4 });
  return (
    <li className={cn("grid min-h-9 items-center gap-x-4 py-1 rule-t slim:gap-x-2", columns)}>
      <span className="flex flex-wrap gap-x-2">
        <ModelId id={model} />
        {source === "yours" && <small className="text-micro leading-5 text-ink-3">{t("yours")}</small>}
      </span>
      <span className="text-right">{show(input)}</span>
      <span className="text-right slim:hidden">{show(cachedInput ?? input)}</span>
      <span className="text-right">{show(output)}</span>
      <span className="flex justify-end">
        {onEdit && (
          <IconButton
            icon="pencil"
            iconSize={14}
            label={t("edit", { model })}
            tipSide="right-edge"
            onClick={() => onEdit(price)}
          />
        )}
        {source === "yours" && onRemove && (
          <IconButton
            icon="cross"
            iconSize={12}
            label={t("remove", { model })}
            tipSide="right-edge"
            onClick={() => onRemove(price)}
          />
        )}
      </span>
    </li>
  );
}

function ownPrices(prices: readonly PriceItem[]): Record<string, Price> {
  return Object.fromEntries(
    prices.filter(({ source }) => source === "yours").map(({ model, source: _, ...price }) => [model, price]),
  );
}
