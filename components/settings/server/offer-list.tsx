"use client";

import { useId } from "react";
import { cn } from "@/components/ui/cn";
import { chosenRowClass } from "./two-parts";

export interface Offer {
  id: string;
  name: string;
  note: string | null;
}

export interface OfferListProps {
  title: string;
  offers: readonly Offer[];
  chosen: string | null;
  onChoose(id: string): void;
}

/** Things of a server by name, one of which is chosen. */
export function OfferList({ title, offers, chosen, onChoose }: OfferListProps) {
  const id = useId();
  if (offers.length === 0) return null;
  return (
    <>
      <h2 id={id} className="pt-2 text-micro text-ink-3">
        {title}
      </h2>
      <ul aria-labelledby={id}>
        {offers.map((offer) => (
          <li key={offer.id} className={cn("row-height-12 rule-b", offer.id === chosen && chosenRowClass)}>
            <button
              type="button"
              className="group block w-full py-1.5 text-left focus-visible:-outline-offset-2 phone:py-2.5"
              aria-current={offer.id === chosen || undefined}
              onClick={() => onChoose(offer.id)}
            >
              <span
                className={cn(
                  "block truncate underline-offset-3 group-hover:underline group-hover:decoration-rule-2",
                  offer.id === chosen && "font-semibold",
                )}
              >
                {offer.name}
              </span>
              {offer.note && <small className="block truncate text-micro text-ink-3">{offer.note}</small>}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
