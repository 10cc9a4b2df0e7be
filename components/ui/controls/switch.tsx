import { type ComponentProps, useId } from "react";
import { cn } from "@/components/ui/cn";

export interface SwitchProps extends Omit<ComponentProps<"button">, "onChange" | "aria-label"> {
  checked: boolean;
  onChange(checked: boolean): void;
  /** The name for readers. */
  label: string;
  /** What is written beside it, where nothing else says what it switches; `true` for the label. */
  words?: string | true;
}

const switchClass = cn(
  "relative h-5 w-8 flex-none rounded-full border border-rule-2 aria-checked:border-ink aria-checked:bg-ink focus-visible:rounded-full disabled:opacity-50",
  // The target: 44 x 36, and 46 x 46 on phones.
  "before:absolute before:-inset-x-1.5 before:-inset-y-2 phone:before:-inset-x-[7px] phone:before:-inset-y-[13px]",
  "after:absolute after:top-[3px] after:left-[3px] after:size-3 after:rounded-full after:bg-rule-2 after:transition-[left] after:duration-(--fast) after:ease-(--ease)",
  "aria-checked:after:left-[15px] aria-checked:after:bg-on-ink",
);

export function Switch({ checked, onChange, label, words, ...rest }: SwitchProps) {
  const own = useId();
  const id = rest.id ?? own;
  const button = (
    <button
      type="button"
      {...rest}
      id={id}
      role="switch"
      className={switchClass}
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
