"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { Choice } from "@/components/ui/controls/choice";
import { Field, TextArea } from "@/components/ui/controls/field";
import { TextButton } from "@/components/ui/controls/text-button";
import { notify } from "@/components/ui/toast";
import type { EndpointItem } from "@/lib/protocol/settings";
import { AccessDialog } from "./access-dialog";
import { useEndpointForm } from "./use-endpoint-form";

export interface EndpointFormProps {
  /** The one that is changed; without it one is added. */
  endpoint: EndpointItem | undefined;
  /** Ids that others have. */
  taken: readonly string[];
  onClose(): void;
}

type Form = ReturnType<typeof useEndpointForm>;

/** An endpoint. Its key and headers in force are not shown; a field that stays empty leaves them as they are. */
export default function EndpointForm({ endpoint, taken, onClose }: EndpointFormProps) {
  const t = useTranslations("settings.models.endpoints");
  const form = useEndpointForm(endpoint, taken, (name) => {
    onClose();
    notify(t("saved", { name }));
  });
  return (
    <AccessDialog
      title={endpoint?.name ?? t("form.add")}
      isBusy={form.isBusy}
      result={form.status}
      onTest={() => void form.test()}
      onSave={() => void form.save()}
      onClose={onClose}
    >
      <NameFields form={form} isNew={!endpoint} />
      <AccessFields form={form} endpoint={endpoint} />
      <TextArea
        label={t("form.models")}
        hint={t("form.modelsHint")}
        error={form.errorOf("models")}
        mono
        rows={2}
        value={form.draft.models}
        onChange={(event) => form.change({ models: event.target.value })}
      />
      <ApiField form={form} />
    </AccessDialog>
  );
}

function NameFields({ form, isNew }: { form: Form; isNew: boolean }) {
  const t = useTranslations("settings.models.endpoints.form");
  const { draft, change, errorOf } = form;
  return (
    <div className="grid grid-cols-2 gap-4 phone:grid-cols-1">
      <Field
        label={t("name")}
        placeholder={t("namePlaceholder")}
        error={errorOf("name")}
        autoComplete="off"
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <Field
        label={t("id")}
        hint={isNew ? t("idHint", { id: draft.id }) : t("idFixed")}
        error={errorOf("id")}
        mono
        autoComplete="off"
        readOnly={!isNew}
        value={draft.id}
        onChange={(event) => change({ id: event.target.value.trim() })}
      />
    </div>
  );
}

function AccessFields({ form, endpoint }: { form: Form; endpoint: EndpointItem | undefined }) {
  const t = useTranslations("settings.models.endpoints.form");
  const { draft, change, errorOf } = form;
  const { keyEnd = null, headerNames = [] } = endpoint ?? {};
  const isMoved = endpoint !== undefined && draft.baseURL !== endpoint.baseURL;
  const hasKey = keyEnd !== null && !isMoved;
  const hasHeaders = headerNames.length > 0 && !isMoved;
  const loses = isMoved && (keyEnd !== null || headerNames.length > 0);
  return (
    <>
      <Field
        label={t("address")}
        hint={loses ? t("addressMoves") : t("addressHint")}
        error={errorOf("baseURL")}
        type="url"
        mono
        autoComplete="off"
        value={draft.baseURL}
        onChange={(event) => change({ baseURL: event.target.value.trim() })}
      />
      <Field
        label={t("key")}
        hint={
          <KeptHint
            kept={hasKey ? t("keyKept", { end: keyEnd }) : undefined}
            dropped={draft.dropsKey ? t("keyDropped") : undefined}
            otherwise={t("keyHint")}
            onChange={(dropsKey) => change({ dropsKey })}
          />
        }
        error={errorOf("apiKey")}
        type="password"
        mono
        autoComplete="off"
        value={draft.apiKey}
        onChange={(event) => change({ apiKey: event.target.value.trim() })}
      />
      <TextArea
        label={t("headers")}
        hint={
          <KeptHint
            kept={hasHeaders ? t("headersKept", { names: headerNames.join(", ") }) : undefined}
            dropped={draft.dropsHeaders ? t("headersDropped") : undefined}
            otherwise={t("headersHint")}
            onChange={(dropsHeaders) => change({ dropsHeaders })}
          />
        }
        error={errorOf("headers")}
        mono
        rows={2}
        autoComplete="off"
        value={draft.headers}
        onChange={(event) => change({ headers: event.target.value })}
      />
    </>
  );
}

function ApiField({ form: { draft, change } }: { form: Form }) {
  const t = useTranslations("settings.models.endpoints.form");
  const id = useId();
  const options = (["auto", "responses", "chat"] as const).map((value) => ({
    value,
    label: t(`apis.${value}`),
  }));
  return (
    <div>
      <p id={id} className="mb-1 text-mach text-ink-2">
        {t("api")}
      </p>
      <Choice
        labelledBy={id}
        describedBy={`${id}-note`}
        options={options}
        value={draft.api}
        onChange={(api) => change({ api })}
      />
      <p id={`${id}-note`} className="mt-1 text-micro text-ink-3">
        {t("apiHint")}
      </p>
    </div>
  );
}

interface KeptHintProps {
  /** What is stored; undefined where nothing is. */
  kept: string | undefined;
  /** That it will be removed. */
  dropped: string | undefined;
  otherwise: string;
  onChange(drops: boolean): void;
}

function KeptHint({ kept, dropped, otherwise, onChange }: KeptHintProps) {
  const t = useTranslations("settings.models.endpoints.form");
  if (kept === undefined) return otherwise;
  return (
    <>
      {dropped ?? kept}{" "}
      <TextButton onClick={() => onChange(dropped === undefined)}>
        {dropped ? t("keep") : t("drop")}
      </TextButton>
    </>
  );
}
