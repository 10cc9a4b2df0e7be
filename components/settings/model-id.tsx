/** "openai/gpt-5-mini": where there is no room it breaks after the provider, and is cut at the end, but not at a hyphen. */
export function ModelId({ id }: { id: string }) {
  const at = id.indexOf("/") + 1;
  return (
    <span className="min-w-0 overflow-hidden text-ellipsis" title={id}>
      <span className="whitespace-nowrap">{id.slice(0, at)}</span>
      <wbr />
      <span className="whitespace-nowrap">{id.slice(at)}</span>
    </span>
  );
}
