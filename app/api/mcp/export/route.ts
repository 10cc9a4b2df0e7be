import { route } from "@/lib/server/entry/route";

export const GET = route(
  { access: "admin", audit: () => ({ action: "setup.exported" }) },
  async ({ deps }) => {
    const text = JSON.stringify(deps.pool.file.export(), null, 2);
    return new Response(`${text}\n`, {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": 'attachment; filename="mcp-servers.json"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
      },
    });
  },
);
