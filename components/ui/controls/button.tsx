import type { ComponentProps } from "react";
import { cn } from "@/components/ui/cn";
import { Icon, type IconName } from "@/components/ui/icon";
import { ariaKeys, Key } from "@/components/ui/key";

export interface ButtonProps extends ComponentProps<"button"> {
  /** `ink` goes on, and there is one of it in a view; `outline` is any other; `quiet` has no border. Red is no button. */
  tone?: "ink" | "outline" | "quiet";
  small?: boolean;
  icon?: IconName;
  /** As in `Mod+Enter`: shown, and told to readers. Binding it is the caller's. */
  keys?: string;
}

export function Button({ tone = "outline", small, icon, keys, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={cn(buttonClass(tone, small), className)}
      {...(keys && { "aria-keyshortcuts": ariaKeys(keys) })}
      {...rest}
    >
      {icon && <Icon name={icon} size={14} />}
      {children}
      {keys && <Key keys={keys} on={tone} />}
    </button>
  );
}

/** For a link that looks like a button. */
export function buttonClass(tone: "ink" | "outline" | "quiet" = "outline", small = false): string {
  return cn(
    "btn phone:h-11",
    { ink: "btn-ink", outline: "btn-outline", quiet: "btn-quiet" }[tone],
    small ? "h-7" : "h-8",
    small || tone === "quiet" ? "px-2" : "px-3",
  );
}

/** For what looks like an icon button and is none: a link, the button of a menu. */
export const iconButtonClass = "icon-btn size-7 phone:size-11";

export interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label" | "children"> {
  icon: IconName;
  /** The name for readers, and the words that appear on hover. */
  label: string;
  iconSize?: number;
  keys?: string;
  /** Where the words would leave the window. */
  tipSide?: "left-edge" | "right-edge";
}

export function IconButton({
  icon,
  label,
  iconSize = 16,
  keys,
  tipSide,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      className={cn(iconButtonClass, "tip", className)}
      aria-label={label}
      data-tip={label}
      data-tip-side={tipSide}
      {...(keys && { "aria-keyshortcuts": ariaKeys(keys) })}
      {...rest}
    >
      <Icon name={icon} size={iconSize} />
    </button>
  );
}
