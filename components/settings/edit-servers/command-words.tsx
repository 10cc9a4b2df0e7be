import type { McpServerConfig } from "@/lib/protocol/mcp";
import { quote } from "./entry-draft";

/** What starts or where it connects. A line ends between two words, and within one only where it is longer than the line. */
export function CommandWords({ config }: { config: McpServerConfig }) {
  const words = config.url
    ? [config.url]
    : [
        ...[config.command ?? "", ...(config.args ?? [])].map(quote),
        ...Object.entries(config.env ?? {}).map(([name, value]) => `${name}=${value}`),
      ];
  return (
    <code className="block text-[12px] leading-5">
      {words.map((word, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words of a command have no identity but their place
        <span key={at}>
          {at > 0 && " "}
          <span className="inline-block max-w-full wrap-anywhere">{word}</span>
        </span>
      ))}
    </code>
  );
}
