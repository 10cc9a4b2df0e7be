import type { ComponentProps } from "react";

export interface SwitchProps extends Omit<ComponentProps<"button">, "onChange" | "aria-label"> {
  checked: boolean;
  onChange(checked: boolean): void;
  label: string;
}

export function Switch({ checked, onChange, label, ...rest }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={checked}
      aria-label={label}
      onClick={() => onChange(!checked)}
      {...rest}
    />
  );
}
