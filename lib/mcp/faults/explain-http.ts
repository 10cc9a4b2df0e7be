import type { HttpLaunch } from "@/lib/mcp/config/launch";
import type { Fault } from "./fault";

/** Why an HTTP server that answered with an error status cannot be used. */
export function explainStatus(status: number, { url, headers }: HttpLaunch): Fault {
  if (status === 401 || status === 403) {
    const sent = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
    const message = sent
      ? `The server refused the header Authorization (HTTP ${status}). Check the token in "headers".`
      : `The server asks for a sign-in (HTTP ${status}). If signing in does not help, add the header Authorization with a token.`;
    return { code: sent ? "login_failed" : "login_required", message, final: true };
  }
  if (status === 404 || status === 405)
    return httpError(
      `There is no MCP server at ${url.pathname} of ${url.host} (HTTP ${status}). Check the path of "url".`,
    );
  if (status >= 300 && status < 400)
    return httpError(`${url.host} redirects elsewhere (HTTP ${status}). Write the final address as "url".`);
  return httpError(
    `${url.host} answered with HTTP ${status}. Look at the server's own log, then restart it here.`,
  );
}

const httpError = (message: string): Fault => ({ code: "http_error", message });

/** Why an HTTP server cannot be reached, by the error code of the system, of TLS or of the HTTP client. */
export function explainNetwork(code: string, { url }: HttpLaunch): Fault {
  if (isCertificate(code)) return { code: "certificate", message: explainCertificate(code, url) };
  if (code.startsWith("ERR_SSL_") || code === "EPROTO")
    return unreachable(
      `${url.host} does not speak TLS as https: needs it. Write http: if the server has no TLS, or correct the port of "url".`,
    );
  switch (code) {
    case "ECONNREFUSED":
      return {
        code: "connection_refused",
        message: `Nothing answers at ${url.host} (connection refused). Start the server, or correct "url".`,
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return unreachable(`The name ${url.hostname} was not found. Check "url" and the network.`);
    case "UND_ERR_SOCKET":
    case "ECONNRESET":
    case "EPIPE":
      return unreachable(
        `${url.host} hung up before it answered. Check port and scheme of "url" (http: or https:), and the server's own log.`,
      );
    default:
      return unreachable(`${url.host} cannot be reached (${code}). Check "url" and the network.`);
  }
}

/** Something else than an HTTP server is listening there. */
export const explainForeign = ({ url }: HttpLaunch): Fault =>
  unreachable(
    `What listens at ${url.host} does not speak HTTP. Check port and scheme of "url" (http: or https:).`,
  );

const unreachable = (message: string): Fault => ({ code: "unreachable", message });

const isCertificate = (code: string) =>
  /CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^HOSTNAME_MISMATCH$|^PATH_LENGTH_EXCEEDED$/.test(code);

function explainCertificate(code: string, { host, hostname }: URL): string {
  switch (code) {
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return `The certificate of ${host} is not valid today. Its operator has to renew it; if it is good, correct the clock of this machine.`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
    case "HOSTNAME_MISMATCH":
      return `The certificate of ${host} is for another name than ${hostname}. Write the name that it is for as "url".`;
    default:
      return `This machine does not trust the certificate of ${host} (${code}). If the server is your own, start Meguri with NODE_EXTRA_CA_CERTS set to the file of its authority.`;
  }
}
