import { useTranslations } from "use-intl";
import { TextArea } from "./field";

/** As the server takes. */
const maxBytes = 100 * 1024;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export const isTooLong = (text: string): boolean => bytesOf(text) > maxBytes;

export interface InstructionsFieldProps {
  label: string;
  hint: string;
  value: string;
  onChange(text: string): void;
  rows: number;
}

/** What a person tells the models; says when it is too long to be stored. */
export function InstructionsField({ label, hint, value, onChange, rows }: InstructionsFieldProps) {
  const t = useTranslations("common");
  const bytes = bytesOf(value);
  return (
    <TextArea
      label={label}
      hint={hint}
      error={bytes > maxBytes ? t("instructionsTooLong", { size: Math.ceil(bytes / 1024) }) : undefined}
      rows={rows}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
