"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button, IconButton } from "@/components/ui/button";
import { notify } from "@/components/ui/toast";
import { changePrices } from "@/lib/client/settings/settings";
import type { Price, PriceItem } from "@/lib/protocol/http";

const PriceForm = dynamic(() => import("./price-form"));

/** What models cost; the user's own prices stand first and take the place of those that are shipped. */
export function PriceTable({ prices }: { prices: readonly PriceItem[] }) {
  const t = useTranslations("settings.limits.prices");
  const act = useAct();
  const [editing, setEditing] = useState<PriceItem | "new" | null>(null);
  const own = ownPrices(prices);
  const remove = async ({ model }: PriceItem) => {
    const { [model]: _, ...rest } = own;
    if (await act(() => changePrices(rest))) notify(t("removed", { model }));
  };
  return (
    <section className="mt-10" aria-labelledby="prices">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 id="prices" className="font-voice text-voice">
            {t("title")}
          </h2>
          <p className="max-w-[600px] text-mach text-ink-2">{t("lede")}</p>
        </div>
        <Button icon="plus" onClick={() => setEditing("new")}>
          {t("add")}
        </Button>
      </div>
      <ul className="rows">
        <li className="rows-head price-line" aria-hidden="true">
          <span>{t("model")}</span>
          <span className="num">{t("input")}</span>
          <span className="num">{t("cached")}</span>
          <span className="num">{t("output")}</span>
          <span />
        </li>
        {prices.map((price) => (
          <PriceRow key={price.model} price={price} onEdit={setEditing} onRemove={remove} />
        ))}
      </ul>
      {editing && (
        <PriceForm
          price={editing === "new" ? undefined : editing}
          own={own}
          onClose={() => setEditing(null)}
        />
      )}
    </section>
  );
}

interface PriceRowProps {
  price: PriceItem;
  onEdit(price: PriceItem): void;
  onRemove(price: PriceItem): void;
}

function PriceRow({ price, onEdit, onRemove }: PriceRowProps) {
  const t = useTranslations("settings.limits.prices");
  const format = useFormatter();
  const { model, input, cachedInput, output, source } = price;
  const show = (amount: number) => format.number(amount, { maximumFractionDigits: 4 });
  return (
    <li className="price-line">
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {model}
        {source === "yours" && <small className="ml-2 text-micro text-ink-3">{t("yours")}</small>}
      </span>
      <span className="num">{show(input)}</span>
      <span className="num">{show(cachedInput ?? input)}</span>
      <span className="num">{show(output)}</span>
      <span className="flex justify-end">
        <IconButton
          icon="pencil"
          iconSize={14}
          label={t("edit", { model })}
          tipSide="right-edge"
          onClick={() => onEdit(price)}
        />
        {source === "yours" && (
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
