"use client";

import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { FormRow } from "@/components/settings/form-row";
import { Section } from "@/components/settings/section";
import { useAct } from "@/components/settings/use-act";
import { Switch } from "@/components/ui/controls/switch";
import { changeSettings } from "@/lib/client/settings/settings";

/** Whether what goes over the wire to models is recorded; applied at once. */
export function WireSection({ isOn }: { isOn: boolean }) {
  const t = useTranslations("settings.data.wire");
  const act = useAct();
  const place = useRef<HTMLDivElement>(null);
  // It is there only after the browser has looked for it.
  useEffect(() => {
    if (window.location.hash === "#wire") place.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <div ref={place} id="wire" className="scroll-mt-4">
      <Section title={t("title")} note={t("note")}>
        <FormRow label={t("label")} hint={t("hint")}>
          {({ id, described }) => (
            <Switch
              id={id}
              {...described}
              label={t("label")}
              checked={isOn}
              onChange={(recordWire) => void act(() => changeSettings({ recordWire }))}
            />
          )}
        </FormRow>
      </Section>
    </div>
  );
}
