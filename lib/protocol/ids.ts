declare const brand: unique symbol;
type Id<Name extends string> = string & { readonly [brand]: Name };

/** Minted by a provider adapter; unique in its conversation. */
export type ToolCallId = Id<"ToolCallId">;
