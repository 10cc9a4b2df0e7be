"use client";

import { useId } from "react";
import { cn } from "@/components/ui/cn";

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
      <h2 id={id} className="offer-head">
        {title}
      </h2>
      <ul aria-labelledby={id}>
        {offers.map((offer) => (
          <li key={offer.id} className={cn("offer", offer.id === chosen && "cur")}>
            <button
              type="button"
              aria-current={offer.id === chosen || undefined}
              onClick={() => onChoose(offer.id)}
            >
              <span>{offer.name}</span>
              {offer.note && <small>{offer.note}</small>}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
