import { type ComponentProps, useId } from "react";

export interface SwitchProps extends Omit<ComponentProps<"button">, "onChange" | "aria-label"> {
  checked: boolean;
  onChange(checked: boolean): void;
  /** The name for readers. */
  label: string;
  /** What is written beside it, where nothing else says what it switches; `true` for the label. */
  words?: string | true;
}

export function Switch({ checked, onChange, label, words, ...rest }: SwitchProps) {
  const own = useId();
  const id = rest.id ?? own;
  const button = (
    <button
      type="button"
      {...rest}
      id={id}
      role="switch"
      className="switch"
      aria-checked={checked}
      aria-label={label}
      onClick={() => onChange(!checked)}
    />
  );
  if (!words) return button;
  return (
    <label htmlFor={id} className="flex min-w-0 cursor-pointer items-center gap-2 text-mach text-ink-2">
      <span className="min-w-0 wrap-anywhere">{words === true ? label : words}</span>
      {button}
    </label>
  );
}
