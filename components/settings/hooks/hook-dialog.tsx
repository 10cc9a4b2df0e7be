"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { FormDialog } from "@/components/settings/form-dialog";
import { useFieldErrors } from "@/components/settings/use-field-errors";
import { Check } from "@/components/ui/controls/check";
import { CheckGroup } from "@/components/ui/controls/check-group";
import { Field } from "@/components/ui/controls/field";
import { addHook, patchHook } from "@/lib/client/settings/hooks";
import { type HookEvent, type HookItem, hookEvents, maxHookUrl, type NewHook } from "@/lib/protocol/hooks";

export interface HookDialogProps {
  /** The one that is changed; undefined for a new one. */
  hook?: HookItem | undefined;
  onClose(): void;
  /** It is stored; a new one comes with its secret. */
  onDone(hook: HookItem | NewHook): void;
}

/** Where a hook sends, and what it is told of. */
export function HookDialog({ hook, onClose, onDone }: HookDialogProps) {
  const t = useTranslations("settings.hooks");
  const [url, setUrl] = useState(hook?.url ?? "");
  const [events, setEvents] = useState<readonly HookEvent[]>(hook?.events ?? hookEvents);
  const field = useRef<HTMLInputElement>(null);
  const { errors, setErrors, attempt } = useFieldErrors(["url", "events"]);
  const save = async () => {
    const isNamed = url.trim() !== "";
    const isTold = events.length > 0;
    setErrors({ ...(!isNamed && { url: t("needUrl") }), ...(!isTold && { events: t("needEvent") }) });
    if (!isNamed) field.current?.focus();
    if (!isNamed || !isTold) return;
    const fields = { url: url.trim(), events };
    const done = await attempt<HookItem | NewHook>(() =>
      hook ? patchHook(hook.id, fields) : addHook(fields),
    );
    if (done) onDone(done);
  };
  return (
    <FormDialog
      title={t(hook ? "change" : "add")}
      lede={t("addNote")}
      makeLabel={t(hook ? "save" : "make")}
      onMake={save}
      onClose={onClose}
    >
      <Field
        ref={field}
        label={t("address")}
        hint={t("addressHint")}
        error={errors.url}
        mono
        type="url"
        inputMode="url"
        autoComplete="off"
        maxLength={maxHookUrl}
        value={url}
        onChange={({ target }) => setUrl(target.value)}
      />
      <Events chosen={events} error={errors.events} onChange={setEvents} />
    </FormDialog>
  );
}

function Events({
  chosen,
  error,
  onChange,
}: {
  chosen: readonly HookEvent[];
  error: string | undefined;
  onChange(events: readonly HookEvent[]): void;
}) {
  const t = useTranslations("settings.hooks");
  return (
    <CheckGroup legend={t("when")} error={error}>
      {hookEvents.map((event) => (
        <Check
          key={event}
          isChosen={chosen.includes(event)}
          isOff={false}
          onChange={(isOn) =>
            onChange(hookEvents.filter((each) => (each === event ? isOn : chosen.includes(each))))
          }
        >
          <span className="font-semibold">{t(`events.${keyOf(event)}`)}</span>{" "}
          <code className="text-ink-3">{event}</code>
        </Check>
      ))}
    </CheckGroup>
  );
}

/** A message cannot have a dot in its name. */
export const keyOf = (event: HookEvent) => event.slice("run.".length) as "completed" | "failed" | "waiting";
