type Environment = Readonly<Record<string, string | undefined>>;

const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/**
 * How this machine reaches the network: behind a proxy or with a private certificate nothing can be downloaded without
 * them.
 */
export const networkVariables = [
  ...proxies,
  ...["NO_PROXY", "no_proxy", "NODE_EXTRA_CA_CERTS", "NODE_USE_ENV_PROXY", "NODE_USE_SYSTEM_CA"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"],
];

/** The passwords of the proxies, as written in the address and decoded. */
export function proxySecrets(env: Environment): string[] {
  return proxies.flatMap((name) => {
    const password = URL.parse(env[name] ?? "")?.password;
    if (!password) return [];
    try {
      return [password, decodeURIComponent(password)];
    } catch {
      return [password];
    }
  });
}
