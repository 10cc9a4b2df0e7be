"use client";

import { type ReactNode, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { lastQuestion, newResults } from "@/lib/client/run/step-payload";
import type { StepEdit } from "@/lib/protocol/answer";
import { tokensOf, tokensOfTool } from "@/lib/protocol/count-tokens";
import type { ModelRequest } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { argumentLines } from "./call-arguments";

interface StepPayloadProps {
  sent: ModelRequest;
  edit: StepEdit;
  onEdit(edit: StepEdit): void;
}

/** What a model would be sent, a row each; one that can be changed opens to a field in its place. */
export function StepPayload({ sent, edit, onEdit }: StepPayloadProps) {
  const t = useTranslations("chat.card.step");
  const change = (more: StepEdit) => onEdit({ ...edit, ...more });
  const question = lastQuestion(sent);
  const system = edit.system ?? sent.system;
  const changed = (id: string) => edit.results?.find((result) => result.id === id)?.text;
  return (
    <div className={argumentLines}>
      {system !== null && (
        <TextRow name={t("system")} text={system} onChange={(text) => change({ system: text })} />
      )}
      {sent.tools && sent.tools.length > 0 && <ToolsRow tools={sent.tools} edit={edit} onChange={change} />}
      {question && <Row name={t("question")} value={question} tokens={tokensOf(question)} />}
      {newResults(sent).map(({ id, name, text }) => (
        <TextRow
          key={id}
          name={showInvisible(name)}
          text={changed(id) ?? text}
          note={t("editsResult")}
          isNew
          onChange={(next) =>
            change({
              results: [
                ...(edit.results ?? []).filter((result) => result.id !== id),
                { id: id as ToolCallId, text: next },
              ],
            })
          }
        />
      ))}
      <TextRow
        name={t("message")}
        text={edit.message ?? ""}
        empty={t("noMessage")}
        onChange={(text) => change({ message: text })}
      />
      <ParamsRow sent={sent} edit={edit} onChange={change} />
    </div>
  );
}

interface RowProps {
  name: string;
  value: string;
  tokens?: number;
  isNew?: boolean;
  /** What opens in its place. */
  children?: ReactNode;
}

const rowLook =
  "grid min-h-8 w-full grid-cols-[132px_minmax(0,1fr)_auto] items-center gap-3 text-left text-mach shadow-[inset_0_-1px_var(--line)] phone:min-h-11 phone:grid-cols-[96px_minmax(0,1fr)_auto]";

function Row({ name, value, tokens, isNew = false, children }: RowProps) {
  const t = useTranslations("chat.card.step");
  const format = useFormatter();
  const [isOpen, setOpen] = useState(false);
  const cells = (
    <>
      <span className="truncate font-mono text-[12px]/5 text-ink-2">{name}</span>
      <span className="truncate">{showInvisible(value)}</span>
      <span className="text-[12px]/5 text-ink-2">
        {isNew && <b className="font-semibold text-ink">{t("new")}</b>}{" "}
        {tokens !== undefined && format.number(tokens)}
      </span>
    </>
  );
  if (!children) return <div className={rowLook}>{cells}</div>;
  return (
    <>
      <button type="button" className={rowLook} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {cells}
      </button>
      {isOpen && <div className="py-2 shadow-[inset_0_-1px_var(--line)]">{children}</div>}
    </>
  );
}

interface TextRowProps {
  name: string;
  text: string;
  note?: string;
  empty?: string;
  isNew?: boolean;
  onChange(text: string): void;
}

function TextRow({ name, text, note, empty = "", isNew, onChange }: TextRowProps) {
  return (
    <Row
      name={name}
      value={text || empty}
      {...(text && { tokens: tokensOf(text) })}
      {...(isNew && { isNew })}
    >
      {note && <p className="mb-1 text-mach text-ink-2">{note}</p>}
      <textarea
        className="field block h-[72px] w-full resize-y bg-paper font-mono text-[13px]/5"
        aria-label={name}
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    </Row>
  );
}

interface PartProps {
  edit: StepEdit;
  onChange(edit: StepEdit): void;
}

function ToolsRow({ tools, edit, onChange }: PartProps & { tools: NonNullable<ModelRequest["tools"]> }) {
  const stays = (name: string) => edit.tools?.includes(name) ?? true;
  const left = tools.filter(({ name }) => stays(name));
  const t = useTranslations("chat.card.step");
  const tokens = left.reduce((sum, tool) => sum + tokensOfTool(tool), 0);
  const all = tools.map(({ name }) => name);
  return (
    <Row name={t("tools")} value={left.map(({ name }) => name).join(", ")} tokens={tokens}>
      <div className="grid max-h-[200px] grid-cols-2 gap-x-3 overflow-y-auto phone:grid-cols-1">
        {all.map((name) => (
          <label key={name} className="flex min-h-7 items-center gap-2 text-mach phone:min-h-11">
            <input
              type="checkbox"
              checked={stays(name)}
              onChange={({ target }) =>
                onChange({ tools: all.filter((each) => (each === name ? target.checked : stays(each))) })
              }
            />
            <span className="truncate">{showInvisible(name)}</span>
          </label>
        ))}
      </div>
    </Row>
  );
}

function ParamsRow({ sent, edit, onChange }: PartProps & { sent: ModelRequest }) {
  const t = useTranslations("chat.card.step");
  const efforts = useTranslations("common.effort");
  const { effort, temperature, maxOutputTokens } = { ...sent.params, ...edit.params };
  const words = [
    effort && t("effort", { effort: efforts(effort) }),
    temperature !== undefined && t("temperature", { temperature }),
    maxOutputTokens !== undefined && t("most", { count: maxOutputTokens }),
  ].filter(Boolean);
  const set = (name: "temperature" | "maxOutputTokens", text: string) => {
    const { [name]: _, ...others } = edit.params ?? {};
    const value = Number(text);
    onChange({ params: text === "" || Number.isNaN(value) ? others : { ...others, [name]: value } });
  };
  return (
    <Row name={t("params")} value={words.length > 0 ? words.join(", ") : t("asSet")}>
      <div className="flex flex-wrap gap-3 text-mach">
        <label className="flex items-center gap-2">
          {t("temperatureLabel")}
          <input
            type="number"
            className="field w-24 bg-paper"
            min={0}
            max={2}
            step={0.1}
            value={temperature ?? ""}
            onChange={({ target }) => set("temperature", target.value)}
          />
        </label>
        <label className="flex items-center gap-2">
          {t("mostLabel")}
          <input
            type="number"
            className="field w-32 bg-paper"
            min={1}
            value={maxOutputTokens ?? ""}
            onChange={({ target }) => set("maxOutputTokens", target.value)}
          />
        </label>
      </div>
    </Row>
  );
}
