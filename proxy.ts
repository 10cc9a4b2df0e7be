import { type NextRequest, NextResponse } from "next/server";
import { frameSource, gate } from "@/lib/server/entry/gate";

/**
 * Nonce and security headers for pages, and plain answers where a page has nothing to show. No boundary: every route
 * handler checks host, session and origin itself, and so does a page that holds data.
 */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const nonce = Buffer.from(crypto.randomUUID()).toString("base64");
  const policy = contentSecurityPolicy(nonce, await frameSource(request.headers));
  const headers = new Headers(request.headers);
  headers.set("x-nonce", nonce);
  headers.set("content-security-policy", policy);
  const refused = await gate(request.nextUrl, request.headers);
  const response = refused
    ? new NextResponse(refused.body, { status: refused.status, headers: refused.headers })
    : NextResponse.next({ request: { headers } });
  response.headers.set("Content-Security-Policy", policy);
  return response;
}

function contentSecurityPolicy(nonce: string, frames: string): string {
  // React's development build evaluates strings to rebuild call stacks; Tailwind's dev styles come inline.
  const development = process.env.NODE_ENV === "development";
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ""}`,
    // React writes style attributes (widths of timing bars); no foreign style can be loaded.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    // Sound that a tool gives; short ones stand in the answer itself.
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    `frame-src ${frames}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * Everything but the files that anybody may have: scripts and styles, icons, the manifest, the worker for when no server
 * answers, the picture of a share. By their
 * whole names: what only begins like one is a page that is not there, and strangers would get it without a policy.
 */
export const config = {
  matcher: [
    "/((?!api/|mcp$|v1/|\\.well-known/oauth-(?:protected-resource(?:/mcp)?|authorization-server)$|_next/static/|_next/image$|(?:favicon\\.ico|icon\\.svg|apple-icon\\.png|icons/[\\w-]+\\.png|manifest\\.webmanifest|sw\\.js|share\\.png)$).*)",
  ],
};
