/** Called by Next.js once, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { boot } = await import("@/lib/server/entry/boot");
  await boot(import.meta.glob(["./app/api/**/route.ts", "./app/mcp/route.ts", "./app/v1/**/route.ts"]));
}
